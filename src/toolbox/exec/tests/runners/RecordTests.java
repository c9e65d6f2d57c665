package tutti.tests;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Writes signed records of tests, one a line. What to do comes on standard input, `name=value` a line. */
final class RecordTests {
    final Map<String, String> order = new HashMap<>();
    private final OutputStream report;
    private final Mac signer;
    private long count = 0;
    private boolean hasFailed = false;

    RecordTests() throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int middle = line.indexOf('=');
            if (middle > 0) order.put(line.substring(0, middle), line.substring(middle + 1));
        }
        report = new FileOutputStream(order.get("report"));
        signer = Mac.getInstance("HmacSHA256");
        signer.init(new SecretKeySpec(bytesOf(order.remove("key")), "HmacSHA256"));
    }

    void start(String name) {
        write("{\"kind\":\"start\",\"name\":" + quote(name) + ",\"file\":\"\"}");
    }

    void test(String name, String status, double durationMs, String message) {
        hasFailed |= status.equals("failed") || status.equals("error");
        write("{\"kind\":\"test\",\"name\":" + quote(name) + ",\"file\":\"\",\"status\":\"" + status
            + "\",\"durationMs\":" + durationMs + ",\"message\":" + (message == null ? "null" : quote(message)) + "}");
    }

    /** Tells that all is told, and ends the program: threads that a test left behind do not keep it. */
    void end() {
        int exitCode = hasFailed ? 1 : 0;
        write("{\"kind\":\"end\",\"exitCode\":" + exitCode + "}");
        System.out.flush();
        System.exit(exitCode);
    }

    /** The failure in a line or two, with the place in the tests it comes from. */
    static String describe(Throwable failure, String testClass) {
        String text = failure instanceof AssertionError && failure.getMessage() != null
            ? failure.getClass().getSimpleName() + ": " + failure.getMessage()
            : failure.toString();
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (frame.getClassName().equals(testClass)) {
                return text + "\n(" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
            }
        }
        return text;
    }

    private synchronized void write(String text) {
        try {
            byte[] signed = signer.doFinal((count + "\n" + text).getBytes(StandardCharsets.UTF_8));
            count += 1;
            StringBuilder line = new StringBuilder();
            for (byte part : signed) line.append(String.format("%02x", part));
            report.write((line + " " + text + "\n").getBytes(StandardCharsets.UTF_8));
            report.flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\' || letter < 0x20 || letter > 0x7e) {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }

    private static byte[] bytesOf(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int at = 0; at < bytes.length; at += 1) {
            bytes[at] = (byte) Integer.parseInt(hex.substring(2 * at, 2 * at + 2), 16);
        }
        return bytes;
    }
}
