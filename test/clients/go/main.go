// All scenarios on the AWS SDK for Go v2. What they are: see ../scenarios.ts. Usage: client URL
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

const body = "Gr\u00fc\u00dfe \U0001f426 <&> \"'\t\r\n"

var (
	raw     = []byte{0x00, 0x01, 0xfe, 0xff}
	ctx     = context.Background()
	client  *sqs.Client
	printer = json.NewEncoder(os.Stdout)
)

type saw = map[string]any

func main() {
	client = sqs.New(sqs.Options{
		BaseEndpoint: aws.String(os.Args[1]),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
	})
	must(0, printer.Encode(saw{"version": version()}))
	play("create-queue", createQueue)
	play("send-receive-delete", sendReceiveDelete)
	play("message-attributes", messageAttributes)
	play("batch", batch)
	play("long-poll", longPoll)
	play("visibility", visibility)
	play("fifo", fifo)
	play("dead-letter", deadLetter)
	play("purge", purge)
	play("tags", tags)
	play("errors", failures)
	play("delete-queue", deleteQueue)
}

// play prints what a scenario saw. Every unexpected error is a panic.
func play(name string, scenario func() saw) {
	line := saw{"scenario": name}
	func() {
		defer func() {
			if reason := recover(); reason != nil {
				line["failed"] = fmt.Sprintf("%v\n%s", reason, debug.Stack())
			}
		}()
		line["saw"] = scenario()
	}()
	must(0, printer.Encode(line))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/aws/aws-sdk-go-v2/service/sqs" {
			return module.Version[1:]
		}
	}
	return ""
}

func create(name string, attributes map[string]string) *string {
	input := &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes}
	return must(client.CreateQueue(ctx, input)).QueueUrl
}

func send(queue *string, text string) *sqs.SendMessageOutput {
	return must(client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: queue, MessageBody: &text}))
}

func receive(queue *string, options ...func(*sqs.ReceiveMessageInput)) []types.Message {
	input := &sqs.ReceiveMessageInput{
		QueueUrl:                    queue,
		MaxNumberOfMessages:         10,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	}
	for _, option := range options {
		option(input)
	}
	return must(client.ReceiveMessage(ctx, input)).Messages
}

func wait(seconds int32) func(*sqs.ReceiveMessageInput) {
	return func(input *sqs.ReceiveMessageInput) { input.WaitTimeSeconds = seconds }
}

func attributes(queue *string, names ...types.QueueAttributeName) map[string]string {
	input := &sqs.GetQueueAttributesInput{QueueUrl: queue, AttributeNames: names}
	return must(client.GetQueueAttributes(ctx, input)).Attributes
}

// left is visible and in flight.
func left(queue *string) int {
	sum := 0
	for _, count := range attributes(
		queue,
		types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	) {
		sum += must(strconv.Atoi(count))
	}
	return sum
}

func createQueue() saw {
	queue := create("created", map[string]string{"VisibilityTimeout": "60"})
	found := must(client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("created")}))
	listed := must(client.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: aws.String("creat")}))
	return saw{
		"url":        queue,
		"found":      found.QueueUrl,
		"listed":     listed.QueueUrls,
		"attributes": attributes(queue, types.QueueAttributeNameVisibilityTimeout, types.QueueAttributeNameQueueArn),
	}
}

func sendReceiveDelete() saw {
	queue := create("letters", nil)
	sent := send(queue, body)
	message := receive(queue)[0]
	input := &sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: message.ReceiptHandle}
	must(client.DeleteMessage(ctx, input))
	return saw{
		"body":         message.Body,
		"sameId":       *message.MessageId == *sent.MessageId,
		"receiveCount": message.Attributes["ApproximateReceiveCount"],
		"left":         left(queue),
	}
}

func messageAttributes() saw {
	queue := create("attributes", nil)
	sent := must(client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:    queue,
		MessageBody: aws.String("x"),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"Text":  {DataType: aws.String("String"), StringValue: aws.String("Gr\u00fc\u00dfe")},
			"Count": {DataType: aws.String("Number.int"), StringValue: aws.String("7")},
			"Raw":   {DataType: aws.String("Binary"), BinaryValue: raw},
		},
	}))
	message := receive(queue)[0]
	text, count, raw := message.MessageAttributes["Text"], message.MessageAttributes["Count"], message.MessageAttributes["Raw"]
	return saw{
		"Text":       []any{text.DataType, text.StringValue},
		"Count":      []any{count.DataType, count.StringValue},
		"Raw":        []any{raw.DataType, base64.StdEncoding.EncodeToString(raw.BinaryValue)},
		"sameDigest": *message.MD5OfMessageAttributes == *sent.MD5OfMessageAttributes,
	}
}

func batch() saw {
	queue := create("batches", nil)
	sent := must(client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
		QueueUrl: queue,
		Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("a"), MessageBody: aws.String("first")},
			{Id: aws.String("b"), MessageBody: aws.String("\uffff")},
			{Id: aws.String("c"), MessageBody: aws.String("third")},
		},
	}))
	received := []string{}
	entries := []types.DeleteMessageBatchRequestEntry{}
	for index, message := range receive(queue) {
		received = append(received, *message.Body)
		id := strconv.Itoa(index)
		entries = append(entries, types.DeleteMessageBatchRequestEntry{Id: &id, ReceiptHandle: message.ReceiptHandle})
	}
	slices.Sort(received)
	entries = append(entries, types.DeleteMessageBatchRequestEntry{Id: aws.String("x"), ReceiptHandle: aws.String("garbage")})
	deleted := must(client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: queue, Entries: entries}))
	sentIds, deletedIds := []string{}, []string{}
	for _, entry := range sent.Successful {
		sentIds = append(sentIds, *entry.Id)
	}
	for _, entry := range deleted.Successful {
		deletedIds = append(deletedIds, *entry.Id)
	}
	return saw{
		"sent":       sentIds,
		"notSent":    failed(sent.Failed),
		"received":   received,
		"deleted":    deletedIds,
		"notDeleted": failed(deleted.Failed),
	}
}

func failed(entries []types.BatchResultErrorEntry) [][]any {
	seen := [][]any{}
	for _, entry := range entries {
		seen = append(seen, []any{entry.Id, entry.Code, entry.SenderFault})
	}
	return seen
}

func longPoll() saw {
	queue := create("polled", nil)
	start := time.Now()
	empty := receive(queue, wait(1))
	middle := time.Now()
	time.AfterFunc(300*time.Millisecond, func() { send(queue, "now") })
	message := receive(queue, wait(20))[0]
	return saw{
		"empty":  len(empty),
		"waited": middle.Sub(start) >= 900*time.Millisecond,
		"body":   message.Body,
		"early":  time.Since(middle) < 15*time.Second,
	}
}

func visibility() saw {
	queue := create("hidden", nil)
	send(queue, "x")
	first := receive(queue, func(input *sqs.ReceiveMessageInput) { input.VisibilityTimeout = 100 })[0]
	hidden := receive(queue)
	must(client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:      queue,
		ReceiptHandle: first.ReceiptHandle,
	}))
	second := receive(queue)[0]
	must(client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
		QueueUrl: queue,
		Entries: []types.ChangeMessageVisibilityBatchRequestEntry{
			{Id: aws.String("0"), ReceiptHandle: second.ReceiptHandle},
		},
	}))
	third := receive(queue)[0]
	counts := []string{}
	for _, message := range []types.Message{first, second, third} {
		counts = append(counts, message.Attributes["ApproximateReceiveCount"])
	}
	return saw{"hidden": len(hidden), "receiveCounts": counts}
}

func fifo() saw {
	queue := create("line.fifo", map[string]string{"FifoQueue": "true"})
	ids := []string{}
	for _, text := range []string{"one", "two", "one", "three"} {
		sent := must(client.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl:               queue,
			MessageBody:            &text,
			MessageGroupId:         aws.String("g"),
			MessageDeduplicationId: &text,
		}))
		ids = append(ids, *sent.MessageId)
	}
	messages := receive(queue)
	bodies, numbers := []string{}, []string{}
	for _, message := range messages {
		bodies = append(bodies, *message.Body)
		// All of the same length.
		numbers = append(numbers, message.Attributes["SequenceNumber"])
	}
	return saw{
		"bodies":              bodies,
		"group":               messages[0].Attributes["MessageGroupId"],
		"duplicateIsFirst":    ids[2] == ids[0],
		"sequenceNumbersRise": slices.IsSorted(numbers) && len(slices.Compact(numbers)) == 3,
		"blocked":             len(receive(queue)),
	}
}

func deadLetter() saw {
	dead := create("dead", nil)
	arn := attributes(dead, types.QueueAttributeNameQueueArn)["QueueArn"]
	policy := string(must(json.Marshal(saw{"deadLetterTargetArn": arn, "maxReceiveCount": 1})))
	source := create("source", map[string]string{"RedrivePolicy": policy})
	send(source, "poison")
	first := receive(source)[0]
	must(client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:      source,
		ReceiptHandle: first.ReceiptHandle,
	}))
	inSource := receive(source)
	inDead := receive(dead, wait(20))[0]
	must(client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:      dead,
		ReceiptHandle: inDead.ReceiptHandle,
	}))
	sources := must(client.ListDeadLetterSourceQueues(ctx, &sqs.ListDeadLetterSourceQueuesInput{QueueUrl: dead}))
	must(client.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: &arn}))
	back := receive(source, wait(20))[0]
	task := finishedTask(arn)
	return saw{
		"source":  len(inSource),
		"dead":    inDead.Body,
		"from":    inDead.Attributes["DeadLetterQueueSourceArn"],
		"sources": sources.QueueUrls,
		"back":    back.Body,
		"task":    task.Status,
		"moved":   task.ApproximateNumberOfMessagesMoved,
	}
}

func finishedTask(sourceArn string) types.ListMessageMoveTasksResultEntry {
	for range 50 {
		tasks := must(client.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: &sourceArn}))
		if *tasks.Results[0].Status != "RUNNING" {
			return tasks.Results[0]
		}
		time.Sleep(100 * time.Millisecond)
	}
	panic("the message move task goes on and on")
}

func purge() saw {
	queue := create("purged", nil)
	for _, text := range []string{"a", "b", "c"} {
		send(queue, text)
	}
	receive(queue, func(input *sqs.ReceiveMessageInput) { input.MaxNumberOfMessages = 1 })
	must(client.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: queue}))
	return saw{"left": left(queue)}
}

func tags() saw {
	queue := must(client.CreateQueue(ctx, &sqs.CreateQueueInput{
		QueueName: aws.String("tagged"),
		Tags:      map[string]string{"team": "sales", "stage": "live"},
	})).QueueUrl
	added := map[string]string{"team": "billing", "owner": "nobody"}
	must(client.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: queue, Tags: added}))
	must(client.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: queue, TagKeys: []string{"owner"}}))
	return saw{"tags": must(client.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: queue})).Tags}
}

func failures() saw {
	_, missing := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("missing")})
	queue := create("errors", nil)
	garbage := &sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: aws.String("garbage")}
	_, receiptHandle := client.DeleteMessage(ctx, garbage)
	must(client.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: queue}))
	_, purgedTwice := client.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: queue})
	seen := saw{
		"missingQueue":  describe(missing),
		"receiptHandle": describe(receiptHandle),
		"purgedTwice":   describe(purgedTwice),
	}
	var typed *types.QueueDoesNotExist
	if errors.As(missing, &typed) {
		seen["errorType"] = "QueueDoesNotExist"
	}
	return seen
}

func describe(err error) []any {
	var api smithy.APIError
	var response *http.ResponseError
	if !errors.As(err, &api) || !errors.As(err, &response) {
		panic(fmt.Sprintf("not an error of the API: %v", err))
	}
	return []any{api.ErrorCode(), response.HTTPStatusCode(), api.ErrorMessage()}
}

func deleteQueue() saw {
	queue := create("deleted", nil)
	must(client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: queue}))
	_, gone := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("deleted")})
	listed := must(client.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: aws.String("deleted")}))
	return saw{"gone": describe(gone)[0], "listed": append([]string{}, listed.QueueUrls...)}
}
