"""Stage: papers."""
