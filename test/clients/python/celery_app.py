"""The Celery application of celery_scenarios.py: tasks over SQS, results in a folder. Its settings come as JSON."""

import json
import os

from celery import Celery
from celery.exceptions import Reject

settings = json.loads(os.environ["CELERY_APP_SETTINGS"])

app = Celery("clients", broker=settings["broker"], backend=f"file://{settings['results']}")
app.conf.update(
    broker_transport_options={
        "region": "us-east-1",
        "is_secure": False,
        # Also for how long kombu hides a message that a task gives back.
        "wait_time_seconds": 2,
        "visibility_timeout": 300,
    },
    task_default_queue="celery",
    worker_enable_remote_control=False,
    worker_prefetch_multiplier=1,
)

attempts = 0


@app.task
def greet(name):
    return f"Hello {name}"


@app.task(bind=True, acks_late=True)
def third_time_lucky(self):
    """Gives its message back twice."""
    global attempts
    attempts += 1
    if attempts < 3:
        raise Reject("not yet", requeue=True)
    return attempts
