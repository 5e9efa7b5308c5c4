package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.loop.BothLoopListeners;
import dev.handoff.loop.LoopListener;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two listeners that are one: for each event that there is. */
class BothListenersTest {
    private final List<String> heard = new ArrayList<>();

    static List<Method> serverEvents() {
        return events(ServerListener.class);
    }

    static List<Method> loopEvents() {
        return events(LoopListener.class);
    }

    @ParameterizedTest
    @MethodSource("serverEvents")
    void aServersListenersBothHearThoughTheyThrow(Method event) {
        assertBothHear(
                event,
                new BothServerListeners(
                        throwing("first", ServerListener.class),
                        throwing("second", ServerListener.class)));
    }

    @ParameterizedTest
    @MethodSource("serverEvents")
    void aServersListenersBothHearWhatIsOfALoop(Method event) {
        ServerListener both =
                new BothServerListeners(
                        throwing("first", ServerListener.class),
                        throwing("second", ServerListener.class));
        assertBothHear(event, both.forLoop(1));
    }

    @ParameterizedTest
    @MethodSource("loopEvents")
    void aLoopsListenersBothHearThoughTheyThrow(Method event) {
        LoopListener both =
                new BothLoopListeners(
                        throwing("first", LoopListener.class),
                        throwing("second", LoopListener.class));
        assertBothHear(event, both);
        heard.clear();
        assertBothHear(event, both.ofLoop(1));
    }

    private void assertBothHear(Method event, Object both) {
        @Nullable Object[] arguments = new @Nullable Object[event.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = event.getParameterTypes()[i];
            arguments[i] =
                    type == int.class
                            ? (Object) 1
                            : type == long.class
                                    ? (Object) 1L
                                    : type == boolean.class ? (Object) true : null;
        }
        assertThrows(InvocationTargetException.class, () -> event.invoke(both, arguments));
        assertEquals(List.of("first " + event.getName(), "second " + event.getName()), heard);
    }

    /** Tells for whom it is asked, and throws at each event. */
    private <T> T throwing(String name, Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            if (!method.getName().startsWith("on")) {
                                return proxy;
                            }
                            heard.add(name + " " + method.getName());
                            throw new IllegalStateException(name);
                        }));
    }

    private static List<Method> events(Class<?> listener) {
        List<Method> events = new ArrayList<>();
        for (Method method : listener.getMethods()) {
            if (method.getName().startsWith("on") && !Modifier.isStatic(method.getModifiers())) {
                method.setAccessible(true);
                events.add(method);
            }
        }
        return events;
    }
}
