"""An HTTP server that scores, in the shape of OpenAI's completions and in foreword's own.

run.py         the socket, uvicorn, signals; read this last
app.py         which address is answered by what
service.py     what a running server holds, and the way of a request through it
completions.py, pairs.py    what is asked for, as requests to the model, and the answers
vocabulary.py  prompts as tokens, tokens as text
batches.py     what waits is scored together
guard.py, body.py, refusal.py, meters.py    tokens, limits, errors, numbers about the server
"""

from foreword.serve.run import run_server
from foreword.serve.service import Settings

__all__ = ["Settings", "run_server"]
