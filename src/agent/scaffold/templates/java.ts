import { fillNames } from './fill-names.ts';
import { camelOf } from '../scaffold-names.ts';
import type { TemplateSet } from './template-set.ts';

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const restResource = `import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** «title» Items are kept in memory as the JSON texts they came as: replace that by a database. */
public final class Solution {
    static final String PATH = "/«kebab»";
    static final int MAX_BODY_BYTES = 1_000_000;

    record Answer(int status, String body) {}

    private final Map<Integer, String> items = new TreeMap<>();
    private final AtomicInteger lastId = new AtomicInteger();

    /** Answers one request. */
    synchronized Answer handle(String method, String path, String body) {
        String rest = path.substring(Math.min(PATH.length(), path.length())).replace("/", "");
        if (!path.startsWith(PATH) || !rest.matches("\\\\d{0,9}")) {
            return new Answer(404, "{}");
        }
        if (rest.isEmpty()) {
            return switch (method) {
                case "GET" -> new Answer(200, list());
                case "POST" -> create(body);
                default -> new Answer(405, "{}");
            };
        }
        int id = Integer.parseInt(rest);
        if (!items.containsKey(id)) {
            return new Answer(404, "{}");
        }
        switch (method) {
            case "PUT" -> items.put(id, body);
            case "DELETE" -> {
                items.remove(id);
                return new Answer(200, "{}");
            }
            case "GET" -> {}
            default -> {
                return new Answer(405, "{}");
            }
        }
        return new Answer(200, show(id));
    }

    private Answer create(String body) {
        int id = lastId.incrementAndGet();
        items.put(id, body);
        return new Answer(201, show(id));
    }

    private String list() {
        return items.keySet().stream().map(this::show).collect(Collectors.joining(",", "[", "]"));
    }

    private String show(int id) {
        return "{\\"id\\":" + id + ",\\"value\\":" + items.get(id) + "}";
    }

    public static void main(String[] args) throws IOException {
        Solution solution = new Solution();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 8000), 0);
        server.createContext(PATH, solution::serve);
        server.start();
    }

    private void serve(HttpExchange exchange) throws IOException {
        byte[] given = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
        String path = exchange.getRequestURI().getPath();
        Answer answer =
                handle(
                        exchange.getRequestMethod(),
                        path,
                        new String(given, StandardCharsets.UTF_8));
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        try (exchange) {
            exchange.getResponseBody().write(bytes);
        }
    }
}
`;

export const javaTemplates: TemplateSet = {
  code: {
    function: ({ title, camel, parameters }) => `/** ${title} */
public final class Solution {
    private Solution() {}

    /** ${title} */
    public static Object ${camel}(${parameters.map((name) => `Object ${camelOf(name)}`).join(', ')}) {
        throw new UnsupportedOperationException("${camel} is not written yet");
    }
}
`,
    class: ({ title, pascal }) => `import java.util.ArrayList;
import java.util.List;

/** ${title} */
public class ${pascal}<T> {
    private final List<T> items = new ArrayList<>();

    /** Adds an item. */
    public void add(T item) {
        items.add(item);
    }

    public int size() {
        return items.size();
    }

    /** The work this class is for. */
    public Object process() {
        throw new UnsupportedOperationException("${pascal}.process is not written yet");
    }
}
`,
    cli: ({ title, camel }) => `import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** ${title} */
public final class Solution {
    private Solution() {}

    /** Does the work for one input, given as text. */
    static String ${camel}(String source) {
        throw new UnsupportedOperationException("${camel} is not written yet");
    }

    public static void main(String[] args) throws IOException {
        String source =
                args.length > 0
                        ? Files.readString(Path.of(args[0]))
                        : new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        System.out.println(${camel}(source));
    }
}
`,
    rest: (names) => fillNames(restResource, names),
  },
  testFramework: 'junit',
  tests: (functions) => `import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class SolutionTest {
${functions
  .map(
    (name) => `    @Test
    @Disabled("say what ${name} returns for a typical input, and what it does with bad input")
    void test${capital(name)}() {}
`,
  )
  .join('\n')}}
`,
};
