import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.util.VersionInfo;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ListMessageMoveTasksResultEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageResponse;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** All scenarios on the AWS SDK for Java v2. Usage: AwsSdk URL */
final class AwsSdk {
  private final SqsClient sqs;

  private AwsSdk(SqsClient sqs) {
    this.sqs = sqs;
  }

  public static void main(String[] args) {
    AwsSdk it = new AwsSdk(Report.client(args[0]));
    Report.version(VersionInfo.SDK_VERSION);
    Report.play("create-queue", it::createQueue);
    Report.play("send-receive-delete", it::sendReceiveDelete);
    Report.play("message-attributes", it::messageAttributes);
    Report.play("batch", it::batch);
    Report.play("long-poll", it::longPoll);
    Report.play("visibility", it::visibility);
    Report.play("fifo", it::fifo);
    Report.play("dead-letter", it::deadLetter);
    Report.play("purge", it::purge);
    Report.play("tags", it::tags);
    Report.play("errors", it::errors);
    Report.play("delete-queue", it::deleteQueue);
  }

  private String create(String name, Map<QueueAttributeName, String> attributes) {
    return sqs.createQueue(it -> it.queueName(name).attributes(attributes)).queueUrl();
  }

  private SendMessageResponse send(String queue, String body) {
    return sqs.sendMessage(it -> it.queueUrl(queue).messageBody(body));
  }

  private List<Message> receive(String queue) {
    return receive(queue, it -> {});
  }

  private List<Message> receive(String queue, Consumer<ReceiveMessageRequest.Builder> more) {
    ReceiveMessageRequest.Builder request =
        ReceiveMessageRequest.builder()
            .queueUrl(queue)
            .maxNumberOfMessages(10)
            .messageSystemAttributeNames(MessageSystemAttributeName.ALL)
            .messageAttributeNames("All");
    more.accept(request);
    return sqs.receiveMessage(request.build()).messages();
  }

  private String arnOf(String queue) {
    return sqs.getQueueAttributes(it -> it.queueUrl(queue).attributeNames(QueueAttributeName.QUEUE_ARN))
        .attributes()
        .get(QueueAttributeName.QUEUE_ARN);
  }

  private Map<String, ?> createQueue() {
    String url = create("created", Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "60"));
    QueueAttributeName[] names = {QueueAttributeName.VISIBILITY_TIMEOUT, QueueAttributeName.QUEUE_ARN};
    return Map.of(
        "url", url,
        "found", sqs.getQueueUrl(it -> it.queueName("created")).queueUrl(),
        "listed", sqs.listQueues(it -> it.queueNamePrefix("creat")).queueUrls(),
        "attributes", sqs.getQueueAttributes(it -> it.queueUrl(url).attributeNames(names)).attributesAsStrings());
  }

  private Map<String, ?> sendReceiveDelete() {
    String queue = create("letters", Map.of());
    SendMessageResponse sent = send(queue, Report.BODY);
    Message message = receive(queue).get(0);
    sqs.deleteMessage(it -> it.queueUrl(queue).receiptHandle(message.receiptHandle()));
    return Map.of(
        "body", message.body(),
        "sameId", message.messageId().equals(sent.messageId()),
        "receiveCount", message.attributes().get(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT),
        "left", Report.left(sqs, queue));
  }

  private Map<String, ?> messageAttributes() {
    String queue = create("attributes", Map.of());
    MessageAttributeValue.Builder value = MessageAttributeValue.builder();
    Map<String, MessageAttributeValue> attributes =
        Map.of(
            "Text", value.copy().dataType("String").stringValue("Gr\u00fc\u00dfe").build(),
            "Count", value.copy().dataType("Number.int").stringValue("7").build(),
            "Raw", value.copy().dataType("Binary").binaryValue(SdkBytes.fromByteArray(Report.RAW)).build());
    SendMessageResponse sent =
        sqs.sendMessage(it -> it.queueUrl(queue).messageBody("x").messageAttributes(attributes));
    Message message = receive(queue).get(0);
    MessageAttributeValue text = message.messageAttributes().get("Text");
    MessageAttributeValue count = message.messageAttributes().get("Count");
    MessageAttributeValue raw = message.messageAttributes().get("Raw");
    return Map.of(
        "Text", List.of(text.dataType(), text.stringValue()),
        "Count", List.of(count.dataType(), count.stringValue()),
        "Raw", List.of(raw.dataType(), Base64.getEncoder().encodeToString(raw.binaryValue().asByteArray())),
        "sameDigest", message.md5OfMessageAttributes().equals(sent.md5OfMessageAttributes()));
  }

  private Map<String, ?> batch() {
    String queue = create("batches", Map.of());
    var sent =
        sqs.sendMessageBatch(
            it ->
                it.queueUrl(queue)
                    .entries(
                        SendMessageBatchRequestEntry.builder().id("a").messageBody("first").build(),
                        SendMessageBatchRequestEntry.builder().id("b").messageBody("\uffff").build(),
                        SendMessageBatchRequestEntry.builder().id("c").messageBody("third").build()));
    List<String> bodies = new ArrayList<>();
    List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
    for (Message message : receive(queue)) {
      String id = Integer.toString(bodies.size());
      bodies.add(message.body());
      entries.add(DeleteMessageBatchRequestEntry.builder().id(id).receiptHandle(message.receiptHandle()).build());
    }
    entries.add(DeleteMessageBatchRequestEntry.builder().id("x").receiptHandle("garbage").build());
    var deleted = sqs.deleteMessageBatch(it -> it.queueUrl(queue).entries(entries));
    return Map.of(
        "sent", sent.successful().stream().map(it -> it.id()).collect(toList()),
        "notSent", failures(sent.failed()),
        "received", bodies.stream().sorted().collect(toList()),
        "deleted", deleted.successful().stream().map(it -> it.id()).collect(toList()),
        "notDeleted", failures(deleted.failed()));
  }

  private static List<?> failures(List<BatchResultErrorEntry> entries) {
    return entries.stream().map(it -> List.of(it.id(), it.code(), it.senderFault())).collect(toList());
  }

  private Map<String, ?> longPoll() {
    String queue = create("polled", Map.of());
    long start = System.nanoTime();
    List<Message> empty = receive(queue, it -> it.waitTimeSeconds(1));
    long middle = System.nanoTime();
    Executor soon = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS);
    CompletableFuture<?> sending = CompletableFuture.runAsync(() -> send(queue, "now"), soon);
    Message message = receive(queue, it -> it.waitTimeSeconds(20)).get(0);
    long end = System.nanoTime();
    sending.join();
    return Map.of(
        "empty", empty.size(),
        "waited", middle - start >= 900_000_000L,
        "body", message.body(),
        "early", end - middle < 15_000_000_000L);
  }

  private Map<String, ?> visibility() {
    String queue = create("hidden", Map.of());
    send(queue, "x");
    Message first = receive(queue, it -> it.visibilityTimeout(100)).get(0);
    List<Message> hidden = receive(queue);
    sqs.changeMessageVisibility(
        it -> it.queueUrl(queue).receiptHandle(first.receiptHandle()).visibilityTimeout(0));
    Message second = receive(queue).get(0);
    ChangeMessageVisibilityBatchRequestEntry entry =
        ChangeMessageVisibilityBatchRequestEntry.builder()
            .id("0")
            .receiptHandle(second.receiptHandle())
            .visibilityTimeout(0)
            .build();
    sqs.changeMessageVisibilityBatch(it -> it.queueUrl(queue).entries(entry));
    Message third = receive(queue).get(0);
    List<String> receiveCounts =
        Stream.of(first, second, third)
            .map(it -> it.attributes().get(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT))
            .collect(toList());
    return Map.of("hidden", hidden.size(), "receiveCounts", receiveCounts);
  }

  private Map<String, ?> fifo() {
    String queue = create("line.fifo", Map.of(QueueAttributeName.FIFO_QUEUE, "true"));
    List<String> ids = new ArrayList<>();
    for (String body : List.of("one", "two", "one", "three")) {
      ids.add(
          sqs.sendMessage(
                  it -> it.queueUrl(queue).messageBody(body).messageGroupId("g").messageDeduplicationId(body))
              .messageId());
    }
    List<Message> messages = receive(queue);
    // All of the same length.
    List<String> numbers =
        messages.stream()
            .map(it -> it.attributes().get(MessageSystemAttributeName.SEQUENCE_NUMBER))
            .collect(toList());
    return Map.of(
        "bodies", messages.stream().map(Message::body).collect(toList()),
        "group", messages.get(0).attributes().get(MessageSystemAttributeName.MESSAGE_GROUP_ID),
        "duplicateIsFirst", ids.get(2).equals(ids.get(0)),
        "sequenceNumbersRise", numbers.stream().distinct().sorted().collect(toList()).equals(numbers),
        "blocked", receive(queue).size());
  }

  private Map<String, ?> deadLetter() throws InterruptedException {
    String deadUrl = create("dead", Map.of());
    String deadArn = arnOf(deadUrl);
    String policy = "{\"deadLetterTargetArn\":\"%s\",\"maxReceiveCount\":\"1\"}".formatted(deadArn);
    String sourceUrl = create("source", Map.of(QueueAttributeName.REDRIVE_POLICY, policy));
    send(sourceUrl, "poison");
    receive(sourceUrl, it -> it.visibilityTimeout(0));
    List<Message> source = receive(sourceUrl);
    Message dead = receive(deadUrl, it -> it.visibilityTimeout(0).waitTimeSeconds(20)).get(0);
    List<String> sources = sqs.listDeadLetterSourceQueues(it -> it.queueUrl(deadUrl)).queueUrls();
    sqs.startMessageMoveTask(it -> it.sourceArn(deadArn));
    Message back = receive(sourceUrl, it -> it.waitTimeSeconds(20)).get(0);
    ListMessageMoveTasksResultEntry task = finishedTask(deadArn);
    return Map.of(
        "source", source.size(),
        "dead", dead.body(),
        "from", dead.attributes().get(MessageSystemAttributeName.DEAD_LETTER_QUEUE_SOURCE_ARN),
        "sources", sources,
        "back", back.body(),
        "task", task.status(),
        "moved", task.approximateNumberOfMessagesMoved());
  }

  private ListMessageMoveTasksResultEntry finishedTask(String sourceArn) throws InterruptedException {
    for (int tries = 0; tries < 50; tries++) {
      var task = sqs.listMessageMoveTasks(it -> it.sourceArn(sourceArn)).results().get(0);
      if (!task.status().equals("RUNNING")) return task;
      Thread.sleep(100);
    }
    throw new IllegalStateException("the message move task goes on and on");
  }

  private Map<String, ?> purge() {
    String queue = create("purged", Map.of());
    for (String body : List.of("a", "b", "c")) send(queue, body);
    receive(queue, it -> it.maxNumberOfMessages(1));
    sqs.purgeQueue(it -> it.queueUrl(queue));
    return Map.of("left", Report.left(sqs, queue));
  }

  private Map<String, ?> tags() {
    Map<String, String> atFirst = Map.of("team", "sales", "stage", "live");
    String queue = sqs.createQueue(it -> it.queueName("tagged").tags(atFirst)).queueUrl();
    sqs.tagQueue(it -> it.queueUrl(queue).tags(Map.of("team", "billing", "owner", "nobody")));
    sqs.untagQueue(it -> it.queueUrl(queue).tagKeys("owner"));
    return Map.of("tags", sqs.listQueueTags(it -> it.queueUrl(queue)).tags());
  }

  private Map<String, ?> errors() {
    SqsException missing =
        Report.errorOf(SqsException.class, () -> sqs.getQueueUrl(it -> it.queueName("missing")));
    String queue = create("errors", Map.of());
    SqsException receiptHandle =
        Report.errorOf(
            SqsException.class, () -> sqs.deleteMessage(it -> it.queueUrl(queue).receiptHandle("garbage")));
    sqs.purgeQueue(it -> it.queueUrl(queue));
    SqsException purgedTwice =
        Report.errorOf(SqsException.class, () -> sqs.purgeQueue(it -> it.queueUrl(queue)));
    return Map.of(
        "missingQueue", Report.describe(missing),
        "errorType", missing.getClass().getSimpleName(),
        "receiptHandle", Report.describe(receiptHandle),
        "purgedTwice", Report.describe(purgedTwice));
  }

  private Map<String, ?> deleteQueue() {
    String queue = create("deleted", Map.of());
    sqs.deleteQueue(it -> it.queueUrl(queue));
    SqsException gone = Report.errorOf(SqsException.class, () -> sqs.getQueueUrl(it -> it.queueName("deleted")));
    return Map.of(
        "gone", Report.describe(gone).get(0),
        "listed", sqs.listQueues(it -> it.queueNamePrefix("deleted")).queueUrls());
  }
}
