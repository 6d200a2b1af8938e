"""The life of queues and messages as a program on boto3 sees it. Usage: boto3-life-cycle.py URL"""

import sys

import boto3

session = {"endpoint_url": sys.argv[1], "region_name": "us-east-1"}
client = boto3.client("sqs", **session)
resource = boto3.resource("sqs", **session)


def error_of(call, **arguments):
    try:
        call(**arguments)
    except client.exceptions.ClientError as error:
        return error
    raise AssertionError(f"{call.__name__} succeeded")


# A queue through the resource interface, with a message that has attributes of every kind.
queue = resource.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "60"}, tags={"team": "billing"})
assert client.list_queue_tags(QueueUrl=queue.url)["Tags"] == {"team": "billing"}
assert queue.attributes["VisibilityTimeout"] == "60", queue.attributes
sent = queue.send_message(
    MessageBody="Grüße \U0001f426\r\n",
    MessageAttributes={
        "Text": {"DataType": "String", "StringValue": "a"},
        "Count": {"DataType": "Number.int", "StringValue": "7"},
        "Raw": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
    },
)
[message] = queue.receive_messages(MessageAttributeNames=["All"], MessageSystemAttributeNames=["All"])
assert message.message_id == sent["MessageId"]
assert message.body == "Grüße \U0001f426\r\n", message.body
assert message.message_attributes["Raw"]["BinaryValue"] == b"\x00\xff"
assert message.message_attributes["Count"] == {"DataType": "Number.int", "StringValue": "7"}
assert message.attributes["ApproximateReceiveCount"] == "1"
message.change_visibility(VisibilityTimeout=0)
[message] = queue.receive_messages(MessageSystemAttributeNames=["ApproximateReceiveCount"], WaitTimeSeconds=1)
assert message.attributes == {"ApproximateReceiveCount": "2"}
message.delete()
assert queue.receive_messages() == []
assert "Messages" not in client.receive_message(QueueUrl=queue.url)

# Batches: an entry that fails does so alone.
batch = client.send_message_batch(
    QueueUrl=queue.url,
    Entries=[{"Id": "good", "MessageBody": "x"}, {"Id": "bad", "MessageBody": "\uffff"}],
)
assert [entry["Id"] for entry in batch["Successful"]] == ["good"]
assert [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in batch["Failed"]] == [
    ("bad", "InvalidMessageContents", True)
]

# FIFO.
fifo = client.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "True"})
fifo_url = fifo["QueueUrl"]
ids = [
    client.send_message(QueueUrl=fifo_url, MessageBody=body, MessageGroupId="g")["MessageId"] for body in ["1", "2", "1"]
]
assert ids[2] == ids[0]
received = client.receive_message(QueueUrl=fifo_url, MaxNumberOfMessages=10)["Messages"]
assert [each["Body"] for each in received] == ["1", "2"]

# Paging.
urls = [url for page in client.get_paginator("list_queues").paginate(PaginationConfig={"PageSize": 1}) for url in page["QueueUrls"]]
assert urls == [queue.url, fifo_url], urls

# Errors as botocore shows those of AWS (SQS: section 1.5).
error = error_of(client.get_queue_url, QueueName="missing")
assert isinstance(error, client.exceptions.QueueDoesNotExist), error
assert error.response["Error"] == {
    "Message": "The specified queue does not exist.",
    "Code": "AWS.SimpleQueueService.NonExistentQueue",
    "QueryErrorCode": "QueueDoesNotExist",
    "Type": "Sender",
}, error.response["Error"]
assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400
error = error_of(client.send_message, QueueUrl=queue.url, MessageBody="")
assert error.response["Error"] == {
    "Message": "The request must contain the parameter MessageBody.",
    "Code": "MissingParameter",
    "QueryErrorCode": "MissingRequiredParameterException",
    "Type": "Sender",
}, error.response["Error"]
error = error_of(client.set_queue_attributes, QueueUrl=queue.url, Attributes={"Foobar": "1"})
assert isinstance(error, client.exceptions.InvalidAttributeName), error
assert error.response["message"] == "Unknown Attribute Foobar.", error.response
