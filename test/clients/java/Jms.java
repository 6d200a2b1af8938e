import com.amazon.sqs.javamessaging.AmazonSQSMessagingClientWrapper;
import com.amazon.sqs.javamessaging.ProviderConfiguration;
import com.amazon.sqs.javamessaging.SQSConnection;
import com.amazon.sqs.javamessaging.SQSConnectionFactory;
import com.amazon.sqs.javamessaging.SQSSession;
import jakarta.jms.BytesMessage;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.CreateQueueRequest;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** The Amazon SQS Java Messaging Library: JMS over the AWS SDK for Java v2. Usage: Jms URL */
final class Jms {
  private static final long RECEIVE_TIMEOUT_MS = 20_000;

  private final SqsClient sqs;
  private final SQSConnection connection;
  private final AmazonSQSMessagingClientWrapper queues;

  private Jms(SqsClient sqs) throws JMSException {
    this.sqs = sqs;
    connection = new SQSConnectionFactory(new ProviderConfiguration(), sqs).createConnection();
    queues = connection.getWrappedAmazonSQSClient();
    connection.start();
  }

  public static void main(String[] args) throws Exception {
    Jms it = new Jms(Report.client(args[0]));
    Report.version(version());
    Report.play("create-queue", it::createQueue);
    Report.play("send-receive-delete", it::sendReceiveDelete);
    Report.play("message-attributes", it::messageAttributes);
    Report.play("long-poll", it::longPoll);
    Report.play("visibility", it::visibility);
    Report.play("fifo", it::fifo);
    Report.play("dead-letter", it::deadLetter);
    Report.play("errors", it::errors);
    // Nothing is closed: that would wait for the long poll of every consumer, 20 s each.
    System.exit(0);
  }

  private static String version() throws Exception {
    String path = "/META-INF/maven/com.amazonaws/amazon-sqs-java-messaging-lib/pom.properties";
    Properties properties = new Properties();
    try (InputStream file = SQSConnection.class.getResourceAsStream(path)) {
      properties.load(file);
    }
    return properties.getProperty("version");
  }

  private Map<String, ?> createQueue() throws JMSException {
    String url = queues.createQueue("created").queueUrl();
    return Map.of(
        "url", url, "found", queues.getQueueUrl("created").queueUrl(), "exists", queues.queueExists("created"));
  }

  private Map<String, ?> sendReceiveDelete() throws JMSException {
    String url = queues.createQueue("letters").queueUrl();
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Queue queue = session.createQueue("letters");
    TextMessage sent = session.createTextMessage(Report.BODY);
    session.createProducer(queue).send(sent);
    TextMessage message = (TextMessage) session.createConsumer(queue).receive(RECEIVE_TIMEOUT_MS);
    return Map.of(
        "body", message.getText(),
        "sameId", message.getJMSMessageID().equals(sent.getJMSMessageID()),
        "receiveCount", message.getStringProperty("JMSXDeliveryCount"),
        "left", Report.left(sqs, url));
  }

  /** Properties of every kind become message attributes; bytes become a body in base64. */
  private Map<String, ?> messageAttributes() throws JMSException {
    queues.createQueue("attributes");
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Queue queue = session.createQueue("attributes");
    BytesMessage sent = session.createBytesMessage();
    sent.writeBytes(Report.RAW);
    sent.setStringProperty("Text", "Gr\u00fc\u00dfe");
    sent.setIntProperty("Count", 7);
    sent.setBooleanProperty("Flag", true);
    sent.setDoubleProperty("Share", 0.25);
    sent.setJMSCorrelationID("c-1");
    session.createProducer(queue).send(sent);
    BytesMessage message = (BytesMessage) session.createConsumer(queue).receive(RECEIVE_TIMEOUT_MS);
    byte[] bytes = new byte[(int) message.getBodyLength()];
    message.readBytes(bytes);
    return Map.of(
        "Text", message.getStringProperty("Text"),
        "Count", message.getObjectProperty("Count"),
        "Flag", message.getObjectProperty("Flag"),
        "Share", message.getObjectProperty("Share"),
        "correlation", message.getJMSCorrelationID(),
        "body", Base64.getEncoder().encodeToString(bytes));
  }

  private Map<String, ?> longPoll() throws JMSException {
    queues.createQueue("polled");
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Session other = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    MessageConsumer consumer = session.createConsumer(session.createQueue("polled"));
    MessageProducer producer = other.createProducer(other.createQueue("polled"));
    Message now = other.createTextMessage("now");
    Executor soon = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS);
    long start = System.nanoTime();
    CompletableFuture<?> sending = CompletableFuture.runAsync(() -> send(producer, now), soon);
    TextMessage message = (TextMessage) consumer.receive(RECEIVE_TIMEOUT_MS);
    long end = System.nanoTime();
    sending.join();
    return Map.of("body", message.getText(), "early", end - start < 15_000_000_000L);
  }

  private static void send(MessageProducer producer, Message message) {
    try {
      producer.send(message);
    } catch (JMSException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Recovering a session gives back what it has not acknowledged. */
  private Map<String, ?> visibility() throws JMSException {
    String url = queues.createQueue("hidden").queueUrl();
    Session session = connection.createSession(false, SQSSession.UNORDERED_ACKNOWLEDGE);
    Queue queue = session.createQueue("hidden");
    session.createProducer(queue).send(session.createTextMessage("x"));
    MessageConsumer consumer = session.createConsumer(queue);
    List<String> receiveCounts = new ArrayList<>();
    Message message = null;
    for (int round = 0; round < 3; round++) {
      if (message != null) session.recover();
      message = consumer.receive(RECEIVE_TIMEOUT_MS);
      receiveCounts.add(message.getStringProperty("JMSXDeliveryCount"));
    }
    message.acknowledge();
    return Map.of(
        "receiveCounts", receiveCounts, "redelivered", message.getJMSRedelivered(), "left", Report.left(sqs, url));
  }

  private Map<String, ?> fifo() throws JMSException {
    create("line.fifo", Map.of(QueueAttributeName.FIFO_QUEUE, "true"));
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Queue queue = session.createQueue("line.fifo");
    MessageProducer producer = session.createProducer(queue);
    for (String body : List.of("one", "two", "one", "three")) {
      TextMessage message = session.createTextMessage(body);
      message.setStringProperty("JMSXGroupID", "g");
      message.setStringProperty("JMS_SQS_DeduplicationId", body);
      producer.send(message);
    }
    MessageConsumer consumer = session.createConsumer(queue);
    List<String> bodies = new ArrayList<>();
    String group = null;
    for (int count = 0; count < 3; count++) {
      TextMessage message = (TextMessage) consumer.receive(RECEIVE_TIMEOUT_MS);
      bodies.add(message.getText());
      group = message.getStringProperty("JMSXGroupID");
    }
    return Map.of("bodies", bodies, "group", group);
  }

  private Map<String, ?> deadLetter() throws JMSException {
    create("dead", Map.of());
    String arn = "arn:aws:sqs:us-east-1:000000000000:dead";
    String policy = "{\"deadLetterTargetArn\":\"%s\",\"maxReceiveCount\":\"1\"}".formatted(arn);
    create("source", Map.of(QueueAttributeName.REDRIVE_POLICY, policy));
    Session session = connection.createSession(false, SQSSession.UNORDERED_ACKNOWLEDGE);
    Queue source = session.createQueue("source");
    session.createProducer(source).send(session.createTextMessage("poison"));
    session.createConsumer(source).receive(RECEIVE_TIMEOUT_MS);
    session.recover();
    // The consumer of the source, which is still open, fetches ahead: that receive moves the message.
    Message dead = session.createConsumer(session.createQueue("dead")).receive(RECEIVE_TIMEOUT_MS);
    return Map.of("dead", ((TextMessage) dead).getText());
  }

  private Map<String, ?> errors() throws JMSException {
    InvalidDestinationException missing =
        Report.errorOf(InvalidDestinationException.class, () -> queues.getQueueUrl("missing"));
    return Map.of(
        "missingQueue", Report.describe((AwsServiceException) missing.getCause()),
        "errorType", missing.getCause().getClass().getSimpleName(),
        "exists", queues.queueExists("missing"));
  }

  private void create(String name, Map<QueueAttributeName, String> attributes) throws JMSException {
    queues.createQueue(CreateQueueRequest.builder().queueName(name).attributes(attributes).build());
  }
}
