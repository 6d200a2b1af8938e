"""All scenarios on boto3, of any generation. Usage: boto3_scenarios.py URL"""

import base64
import json
import sys
import threading
import time

import boto3

from report import BODY, RAW, report

sqs = boto3.client("sqs", endpoint_url=sys.argv[1], region_name="us-east-1")


def create(name, attributes={}, tags={}):
    return sqs.create_queue(QueueName=name, Attributes=attributes, tags=tags)["QueueUrl"]


def send(url, body, **more):
    return sqs.send_message(QueueUrl=url, MessageBody=body, **more)


def receive(url, **more):
    # The old name of MessageSystemAttributeNames: the one that every generation knows.
    arguments = {"MaxNumberOfMessages": 10, "AttributeNames": ["All"], "MessageAttributeNames": ["All"], **more}
    return sqs.receive_message(QueueUrl=url, **arguments).get("Messages", [])


def attributes(url, *names):
    return sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]


def left(url):
    """Visible and in flight."""
    counts = attributes(url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    return sum(map(int, counts.values()))


def create_queue():
    url = create("created", {"VisibilityTimeout": "60"})
    return {
        "url": url,
        "found": sqs.get_queue_url(QueueName="created")["QueueUrl"],
        "listed": sqs.list_queues(QueueNamePrefix="creat")["QueueUrls"],
        "attributes": attributes(url, "VisibilityTimeout", "QueueArn"),
    }


def send_receive_delete():
    url = create("letters")
    sent = send(url, BODY)
    [message] = receive(url)
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return {
        "body": message["Body"],
        "sameId": message["MessageId"] == sent["MessageId"],
        "receiveCount": message["Attributes"]["ApproximateReceiveCount"],
        "left": left(url),
    }


def message_attributes():
    url = create("attributes")
    sent = send(
        url,
        "x",
        MessageAttributes={
            "Text": {"DataType": "String", "StringValue": "Gr\u00fc\u00dfe"},
            "Count": {"DataType": "Number.int", "StringValue": "7"},
            "Raw": {"DataType": "Binary", "BinaryValue": RAW},
        },
    )
    [message] = receive(url)
    text, count, raw = (message["MessageAttributes"][name] for name in ["Text", "Count", "Raw"])
    return {
        "Text": [text["DataType"], text["StringValue"]],
        "Count": [count["DataType"], count["StringValue"]],
        "Raw": [raw["DataType"], base64.b64encode(raw["BinaryValue"]).decode()],
        "sameDigest": message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"],
    }


def batch():
    url = create("batches")
    bodies = {"a": "first", "b": "\uffff", "c": "third"}
    sent = sqs.send_message_batch(
        QueueUrl=url, Entries=[{"Id": each, "MessageBody": body} for each, body in bodies.items()]
    )
    messages = receive(url)
    entries = [{"Id": str(n), "ReceiptHandle": each["ReceiptHandle"]} for n, each in enumerate(messages)]
    deleted = sqs.delete_message_batch(QueueUrl=url, Entries=entries + [{"Id": "x", "ReceiptHandle": "garbage"}])

    def successes(output):
        return [entry["Id"] for entry in output["Successful"]]

    def failures(output):
        return [[entry["Id"], entry["Code"], entry["SenderFault"]] for entry in output["Failed"]]

    return {
        "sent": successes(sent),
        "notSent": failures(sent),
        "received": sorted(message["Body"] for message in messages),
        "deleted": successes(deleted),
        "notDeleted": failures(deleted),
    }


def long_poll():
    url = create("polled")
    start = time.monotonic()
    empty = receive(url, WaitTimeSeconds=1)
    middle = time.monotonic()
    sender = threading.Timer(0.3, send, [url, "now"])
    sender.start()
    [message] = receive(url, WaitTimeSeconds=20)
    end = time.monotonic()
    sender.join()
    return {
        "empty": len(empty),
        "waited": middle - start >= 0.9,
        "body": message["Body"],
        "early": end - middle < 15,
    }


def visibility():
    url = create("hidden")
    send(url, "x")
    [first] = receive(url, VisibilityTimeout=100)
    hidden = receive(url)
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
    [second] = receive(url)
    entries = [{"Id": "0", "ReceiptHandle": second["ReceiptHandle"], "VisibilityTimeout": 0}]
    sqs.change_message_visibility_batch(QueueUrl=url, Entries=entries)
    [third] = receive(url)
    counts = [message["Attributes"]["ApproximateReceiveCount"] for message in [first, second, third]]
    return {"hidden": len(hidden), "receiveCounts": counts}


def fifo():
    url = create("line.fifo", {"FifoQueue": "true"})
    sent = [
        send(url, body, MessageGroupId="g", MessageDeduplicationId=body) for body in ["one", "two", "one", "three"]
    ]
    messages = receive(url)
    numbers = [int(message["Attributes"]["SequenceNumber"]) for message in messages]
    return {
        "bodies": [message["Body"] for message in messages],
        "group": messages[0]["Attributes"]["MessageGroupId"],
        "duplicateIsFirst": sent[2]["MessageId"] == sent[0]["MessageId"],
        "sequenceNumbersRise": numbers == sorted(set(numbers)),
        "blocked": len(receive(url)),
    }


def dead_letter():
    dead_url = create("dead")
    dead_arn = attributes(dead_url, "QueueArn")["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": 1})
    source_url = create("source", {"RedrivePolicy": policy})
    send(source_url, "poison")
    receive(source_url, VisibilityTimeout=0)
    source = receive(source_url)
    [dead] = receive(dead_url, VisibilityTimeout=0, WaitTimeSeconds=20)
    sources = sqs.list_dead_letter_source_queues(QueueUrl=dead_url)["queueUrls"]
    sqs.start_message_move_task(SourceArn=dead_arn)
    [back] = receive(source_url, WaitTimeSeconds=20)
    task = finished_task(dead_arn)
    return {
        "source": len(source),
        "dead": dead["Body"],
        "from": dead["Attributes"]["DeadLetterQueueSourceArn"],
        "sources": sources,
        "back": back["Body"],
        "task": task["Status"],
        "moved": task["ApproximateNumberOfMessagesMoved"],
    }


def finished_task(source_arn):
    for _ in range(50):
        [task] = sqs.list_message_move_tasks(SourceArn=source_arn)["Results"]
        if task["Status"] != "RUNNING":
            return task
        time.sleep(0.1)
    raise AssertionError("the message move task goes on and on")


def purge():
    url = create("purged")
    for body in "abc":
        send(url, body)
    receive(url, MaxNumberOfMessages=1)
    sqs.purge_queue(QueueUrl=url)
    return {"left": left(url)}


def tags():
    url = create("tagged", tags={"team": "sales", "stage": "live"})
    sqs.tag_queue(QueueUrl=url, Tags={"team": "billing", "owner": "nobody"})
    sqs.untag_queue(QueueUrl=url, TagKeys=["owner"])
    return {"tags": sqs.list_queue_tags(QueueUrl=url)["Tags"]}


def error_of(call, **arguments):
    try:
        output = call(**arguments)
    except sqs.exceptions.ClientError as error:
        return error
    raise AssertionError(f"an error was due, but the answer was {output}")


def describe(error):
    details = error.response["Error"]
    return [details["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"], details["Message"]]


def errors():
    missing = error_of(sqs.get_queue_url, QueueName="missing")
    url = create("errors")
    receipt_handle = error_of(sqs.delete_message, QueueUrl=url, ReceiptHandle="garbage")
    sqs.purge_queue(QueueUrl=url)
    return {
        "missingQueue": describe(missing),
        "errorType": type(missing).__name__,
        "receiptHandle": describe(receipt_handle),
        "purgedTwice": describe(error_of(sqs.purge_queue, QueueUrl=url)),
    }


def delete_queue():
    sqs.delete_queue(QueueUrl=create("deleted"))
    [code, *_] = describe(error_of(sqs.get_queue_url, QueueName="deleted"))
    return {"gone": code, "listed": sqs.list_queues(QueueNamePrefix="deleted").get("QueueUrls", [])}


report(
    boto3.__version__,
    {
        "create-queue": create_queue,
        "send-receive-delete": send_receive_delete,
        "message-attributes": message_attributes,
        "batch": batch,
        "long-poll": long_poll,
        "visibility": visibility,
        "fifo": fifo,
        "dead-letter": dead_letter,
        "purge": purge,
        "tags": tags,
        "errors": errors,
        "delete-queue": delete_queue,
    },
)
