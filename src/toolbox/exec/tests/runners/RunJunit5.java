package tutti.tests;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs all tests of a folder of classes on the JUnit platform. */
public final class RunJunit5 {
    public static void main(String[] arguments) throws Exception {
        RecordTests records = new RecordTests();
        Path folder = Paths.get(records.order.get("classes"));
        String wanted = records.order.getOrDefault("filter", "");
        // Methods that are containers (repeated, parameterized) have their tests only when they run.
        PostDiscoveryFilter filter = test -> FilterResult.includedIf(
            !(test.getSource().orElse(null) instanceof MethodSource)
                || nameOf(test.getSource().get(), test.getDisplayName()).contains(wanted));
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClasspathRoots(Collections.singleton(folder.toAbsolutePath())))
            .filters(filter)
            .build();
        LauncherFactory.create().execute(request, new Recorder(records));
        records.end();
    }

    private static String nameOf(TestSource source, String displayName) {
        if (source instanceof MethodSource) {
            MethodSource method = (MethodSource) source;
            String name = method.getClassName() + "." + method.getMethodName();
            // Parameterized and repeated tests share a method; their display names tell them apart.
            return displayName.startsWith(method.getMethodName()) ? name : name + " " + displayName;
        }
        return source instanceof ClassSource ? ((ClassSource) source).getClassName() : displayName;
    }

    private static final class Recorder implements TestExecutionListener {
        private final RecordTests records;
        private final Map<String, Long> began = new ConcurrentHashMap<>();

        Recorder(RecordTests records) {
            this.records = records;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            if (!test.isTest()) return;
            began.put(test.getUniqueId(), System.nanoTime());
            records.start(name(test));
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            records.test(name(test), "skipped", 0, reason);
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Long start = began.remove(test.getUniqueId());
            double spentMs = start == null ? 0 : (System.nanoTime() - start) / 1e6;
            Throwable failure = result.getThrowable().orElse(null);
            switch (result.getStatus()) {
                case SUCCESSFUL:
                    if (test.isTest()) records.test(name(test), "passed", spentMs, null);
                    break;
                case ABORTED:
                    records.test(name(test), "skipped", spentMs, failure == null ? null : failure.getMessage());
                    break;
                default:
                    boolean isAssertion = test.isTest() && failure instanceof AssertionError;
                    String message = failure == null ? null : RecordTests.describe(failure, className(test));
                    records.test(name(test), isAssertion ? "failed" : "error", spentMs, message);
            }
        }

        private static String name(TestIdentifier test) {
            return nameOf(test.getSource().orElse(null), test.getDisplayName());
        }

        private static String className(TestIdentifier test) {
            TestSource source = test.getSource().orElse(null);
            return source instanceof MethodSource ? ((MethodSource) source).getClassName() : name(test);
        }
    }
}
