"""A predictor that asks a chat model over the network, through inspect-ai."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foreword.forecasts.background import as_they_come
from foreword.forecasts.connection import connect
from foreword.forecasts.forms import chat_prompt
from foreword.forecasts.predictor import SEED_POLICY, Answer, PredictorSettings, answer_seed
from foreword.forecasts.prompt import PROMPT_VERSION
from foreword.records import Question, Reason
from foreword.remote import one_sentence, plain_url, redact
from foreword.store import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPredictor:
    """Asks one chat model, `max_connections` questions at a time; answers come as they come.

    Made by `load_api_predictor`, which checks the model's name and key. Nothing is cached and no
    other model stands in. Temporary errors are tried again, `max_retries` times at most.
    """

    model: str
    """`provider/model`, as inspect-ai names it."""
    settings: PredictorSettings = field(default_factory=PredictorSettings)
    name: str = "api"
    served_at: str | None = None
    """The base URL in use, without secrets; None where the provider does not tell."""

    @property
    def identity(self) -> Mapping[str, JSON]:
        """The model, where it is served, how it is asked and sampled. No key."""
        return {
            "kind": "api",
            "model": self.model,
            "base_url": self.served_at,
            "prompt": PROMPT_VERSION,
            "context_characters": self.settings.context_characters,
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "max_tokens": self.settings.max_tokens,
            "reasoning_effort": self.settings.reasoning_effort,
            "seeds": f"{SEED_POLICY}, where the provider takes a seed",
        }

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
        """One answer a question, in the order in which they come."""

        async def ask_all(put: Callable[[Answer], None]) -> None:
            await self._ask_all(questions, seed, put)

        if questions:
            yield from as_they_come(ask_all)

    async def _ask_all(
        self, questions: Sequence[Question], seed: int, put: Callable[[Answer], None]
    ) -> None:
        import anyio

        waiting = iter(questions)

        async def ask_on(model: Any) -> None:
            for question in waiting:
                put(await self._ask(model, question, answer_seed(seed, question.cut_id)))

        async with connect(self.model, self.settings) as model, anyio.create_task_group() as group:
            for _ in range(min(self.settings.max_connections, len(questions))):
                group.start_soon(ask_on, model)

    async def _ask(self, model: Any, question: Question, seed: int) -> Answer:
        """The one place at which an error of the network or the server becomes a missing answer."""
        import anyio
        from inspect_ai.model import GenerateConfig

        prompt = chat_prompt(question, self.settings.context_characters)
        answer = Answer(cut_id=question.cut_id, raw=None, seed=seed, missing="failed")
        try:
            with anyio.fail_after(self.settings.timeout_s):
                output = await model.generate(prompt, config=GenerateConfig(seed=seed), cache=False)
        except TimeoutError:
            return replace(answer, failure=f"no answer within {self.settings.timeout_s:g} s")
        except Exception as error:  # noqa: BLE001
            return replace(answer, failure=one_sentence(_cause(error)))
        return _read(output, answer, self.settings)


def load_api_predictor(model: str, settings: PredictorSettings, *, name: str) -> ApiPredictor:
    """A predictor that asks a chat model by API, once name, settings and key are checked.

    Where a base URL is given, a server without a key is taken to need none.

    Raises:
        UsageError: no such provider, or a setting that inspect-ai does not know.
        ModelError: inspect-ai is not installed, or the provider's key is not in the environment.
    """
    api = connect(model, settings).api
    url = api.base_url or getattr(getattr(api, "client", None), "base_url", None)
    served_at = plain_url(str(url)) if url else None
    return ApiPredictor(model=model, settings=settings, name=name, served_at=served_at)


def _cause(error: BaseException) -> BaseException:
    """The last attempt's own error, where retries were given up."""
    last = getattr(error, "last_attempt", None)
    return (last.exception() if last else None) or error


def _read(output: Any, answer: Answer, settings: PredictorSettings) -> Answer:
    """The answer in inspect-ai's output; `answer` has what is known without it."""
    raw = output.completion or None
    reason = output.choices[0].stop_reason if output.choices else ""
    missing, failure = _missing(output, raw, reason)
    usage = output.usage
    return replace(
        answer,
        raw=raw,
        finish_reason=reason,
        missing=missing,
        failure=failure,
        model=output.model,
        input_tokens=_input_tokens(usage) if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        reasoning_tokens=usage.reasoning_tokens if usage else None,
        cost_usd=_cost(usage, settings) if usage else None,
    )


def _missing(output: Any, raw: str | None, reason: str) -> tuple[Reason | None, str | None]:
    if output.fallback is not None:
        return "failed", f"another model answered: {output.model}"
    parts = output.choices[0].message.content if output.choices else []
    if reason == "content_filter" or any(getattr(part, "refusal", None) for part in parts):
        return "refused", redact(output.error) if output.error else None
    if raw and raw.strip():
        return None, None
    if reason in ("max_tokens", "model_length"):
        return "unfinished", "the tokens were used up before the answer began"
    return "empty", redact(output.error) if output.error else None


def _input_tokens(usage: Any) -> int:
    """All of them: inspect-ai counts those that the provider had cached apart."""
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return int(usage.input_tokens + cached)


def _cost(usage: Any, settings: PredictorSettings) -> float | None:
    """USD: the provider's own figure, else tokens times prices; None where a price is not known.

    Cached tokens have a price of their own, which the settings do not give.
    """
    if usage.total_cost is not None:
        return float(usage.total_cost)
    cached = usage.input_tokens_cache_read or usage.input_tokens_cache_write
    if settings.input_price is None or settings.output_price is None or cached:
        return None
    spent = usage.input_tokens * settings.input_price + usage.output_tokens * settings.output_price
    return float(spent / 1e6)
