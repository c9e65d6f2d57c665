package tutti.tests;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs all JUnit 4 and JUnit 3 tests of a folder of classes. */
public final class RunJunit4 {
    public static void main(String[] arguments) throws Exception {
        RecordTests records = new RecordTests();
        Path folder = Paths.get(records.order.get("classes"));
        String wanted = records.order.getOrDefault("filter", "");
        Class<?>[] classes = testClasses(folder).toArray(new Class<?>[0]);
        JUnitCore core = new JUnitCore();
        core.addListener(new Recorder(records));
        if (classes.length > 0) core.run(Request.classes(classes).filterWith(containing(wanted)));
        records.end();
    }

    private static List<Class<?>> testClasses(Path folder) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".class")).sorted()
                .map(file -> folder.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", ""))
                .map(RunJunit4::load).filter(RunJunit4::hasTests).collect(Collectors.toList());
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, RunJunit4.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError error) {
            return Object.class;
        }
    }

    private static boolean hasTests(Class<?> type) {
        if (java.lang.reflect.Modifier.isAbstract(type.getModifiers())) return false;
        if (type.isAnnotationPresent(RunWith.class) || junit.framework.TestCase.class.isAssignableFrom(type)) return true;
        return Stream.of(type.getMethods()).anyMatch(method -> method.isAnnotationPresent(Test.class));
    }

    private static Filter containing(String wanted) {
        return new Filter() {
            @Override
            public boolean shouldRun(Description description) {
                if (description.isTest()) return nameOf(description).contains(wanted);
                return description.getChildren().isEmpty() || description.getChildren().stream().anyMatch(this::shouldRun);
            }

            @Override
            public String describe() {
                return "names with " + wanted;
            }
        };
    }

    private static String nameOf(Description test) {
        return test.getMethodName() == null ? test.getDisplayName() : test.getClassName() + "." + test.getMethodName();
    }

    private static final class Recorder extends RunListener {
        private final RecordTests records;
        private final Map<Description, Long> began = new HashMap<>();
        private final Map<Description, Failure> failures = new HashMap<>();
        private final Map<Description, Failure> assumptions = new HashMap<>();

        Recorder(RecordTests records) {
            this.records = records;
        }

        @Override
        public void testStarted(Description test) {
            began.put(test, System.nanoTime());
            records.start(nameOf(test));
        }

        @Override
        public void testFailure(Failure failure) {
            Description test = failure.getDescription();
            if (began.containsKey(test)) failures.put(test, failure);
            else records.test(nameOf(test), "error", 0, describe(failure));
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            assumptions.put(failure.getDescription(), failure);
        }

        @Override
        public void testIgnored(Description test) {
            org.junit.Ignore reason = test.getAnnotation(org.junit.Ignore.class);
            records.test(nameOf(test), "skipped", 0, reason == null || reason.value().isEmpty() ? null : reason.value());
        }

        @Override
        public void testFinished(Description test) {
            double spentMs = (System.nanoTime() - began.remove(test)) / 1e6;
            Failure failure = failures.remove(test);
            Failure assumption = assumptions.remove(test);
            if (failure != null) {
                String status = failure.getException() instanceof AssertionError ? "failed" : "error";
                records.test(nameOf(test), status, spentMs, describe(failure));
            } else if (assumption != null) {
                records.test(nameOf(test), "skipped", spentMs, assumption.getMessage());
            } else {
                records.test(nameOf(test), "passed", spentMs, null);
            }
        }

        private static String describe(Failure failure) {
            return RecordTests.describe(failure.getException(), failure.getDescription().getClassName());
        }
    }
}
