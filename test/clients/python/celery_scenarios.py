"""Celery and kombu over their SQS transport, with a real worker. Usage: celery_scenarios.py URL"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import celery
import kombu

from report import BODY, report

url = sys.argv[1]
scratch = tempfile.TemporaryDirectory()
broker = f"sqs://any:any@{urlsplit(url).netloc}"
os.environ["CELERY_APP_SETTINGS"] = json.dumps({"broker": broker, "results": scratch.name})

from celery_app import app, greet, third_time_lucky  # noqa: E402

# To look from outside at what they have done.
sqs = boto3.client("sqs", endpoint_url=url, region_name="us-east-1")
connection = app.connection_for_write()


def left(name):
    """Visible and in flight."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    queue_url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    return sum(map(int, sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=names)["Attributes"].values()))


def left_in_the_end(name):
    """A worker acknowledges a task after its result is there."""
    end = time.monotonic() + 10
    while left(name) > 0 and time.monotonic() < end:
        time.sleep(0.05)
    return left(name)


def create_queue():
    with connection.SimpleQueue("created") as queue:
        found = queue.channel.sqs().get_queue_url(QueueName="created")["QueueUrl"]
    return {"found": found, "listed": sqs.list_queues(QueueNamePrefix="creat")["QueueUrls"]}


def send_receive_delete():
    result = greet.delay(BODY).get(timeout=30)
    return {"result": result, "left": left_in_the_end("celery")}


def visibility():
    attempts = third_time_lucky.delay().get(timeout=30)
    return {"attempts": attempts, "left": left_in_the_end("celery")}


def fifo():
    sqs.create_queue(QueueName="line.fifo", Attributes={"FifoQueue": "true"})
    with connection.SimpleQueue("line.fifo") as queue:
        for body in ["one", "two", "one", "three"]:
            queue.put(body, MessageGroupId="g", MessageDeduplicationId=body)
        bodies = []
        for _ in range(3):
            message = queue.get(timeout=10)
            bodies.append(message.payload)
            message.ack()
    return {"bodies": bodies, "left": left("line.fifo")}


def purge():
    with connection.SimpleQueue("purged") as queue:
        for body in "abc":
            queue.put(body)
        before = queue.qsize()
        queue.clear()
        return {"before": before, "left": left("purged")}


def delete_queue():
    with connection.SimpleQueue("deleted") as queue:
        queue.queue.delete()
    return {"listed": sqs.list_queues(QueueNamePrefix="deleted").get("QueueUrls", [])}


def start_worker():
    command = [sys.executable, "-m", "celery", "--app", "celery_app", "worker"]
    options = ["--pool", "solo", "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"]
    return subprocess.Popen(command + options, cwd=Path(__file__).parent, stdout=sys.stderr)


worker = start_worker()
try:
    report(
        f"{celery.__version__.split()[0]} (kombu {kombu.__version__})",
        {
            "create-queue": create_queue,
            "send-receive-delete": send_receive_delete,
            "visibility": visibility,
            "fifo": fifo,
            "purge": purge,
            "delete-queue": delete_queue,
        },
    )
finally:
    worker.send_signal(signal.SIGKILL)
    worker.wait()
