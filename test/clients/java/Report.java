import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** Runs scenarios and prints a line of JSON for each, and what both programs need. What they are: ../scenarios.ts. */
final class Report {
  static final String BODY = "Gr\u00fc\u00dfe \ud83d\udc26 <&> \"'\t\r\n";
  static final byte[] RAW = {0x00, 0x01, (byte) 0xfe, (byte) 0xff};

  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  interface Scenario {
    Map<String, ?> play() throws Exception;
  }

  interface Call {
    void run() throws Exception;
  }

  private Report() {}

  static void version(String version) {
    print(Map.of("version", version));
  }

  static void play(String name, Scenario scenario) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("scenario", name);
    try {
      line.put("saw", scenario.play());
    } catch (Exception error) {
      StringWriter stack = new StringWriter();
      error.printStackTrace(new PrintWriter(stack));
      line.put("failed", stack.toString());
    }
    print(line);
  }

  /** The error of a call that has to fail. */
  static <T extends Exception> T errorOf(Class<T> type, Call call) {
    try {
      call.run();
    } catch (Exception error) {
      return type.cast(error);
    }
    throw new IllegalStateException("an error was due");
  }

  /** Code, HTTP status and text. */
  static List<?> describe(AwsServiceException error) {
    return List.of(error.awsErrorDetails().errorCode(), error.statusCode(), error.awsErrorDetails().errorMessage());
  }

  static SqsClient client(String url) {
    return SqsClient.builder()
        .endpointOverride(URI.create(url))
        .region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
        .build();
  }

  /** Visible and in flight. */
  static int left(SqsClient sqs, String queueUrl) {
    return sqs
        .getQueueAttributes(
            it ->
                it.queueUrl(queueUrl)
                    .attributeNames(
                        QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                        QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE))
        .attributes()
        .values()
        .stream()
        .mapToInt(Integer::parseInt)
        .sum();
  }

  private static synchronized void print(Map<String, ?> line) {
    OUT.println(json(line));
  }

  private static String json(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> json(entry.getKey().toString()) + ":" + json(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Collection<?> list) {
      return list.stream().map(Report::json).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof String text) {
      return text.chars()
          .mapToObj(unit -> unit < ' ' || unit == '"' || unit == '\\' ? "\\u%04x".formatted(unit) : "" + (char) unit)
          .collect(Collectors.joining("", "\"", "\""));
    }
    return String.valueOf(value);
  }
}
