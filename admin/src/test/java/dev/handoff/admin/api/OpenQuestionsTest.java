package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OpenQuestionsTest {
    private final OpenQuestions<String, String> questions = new OpenQuestions<>();
    private final List<CompletableFuture<String>> asked = new ArrayList<>();

    @Test
    void whoAsksTheSameMeanwhileSharesTheAnswer() {
        CompletableFuture<String> first = ask();
        CompletableFuture<String> second = ask();
        assertFalse(second.isDone());
        asked.getFirst().complete("answer");
        assertEquals("answer", first.join());
        assertEquals("answer", second.join());
        assertEquals(1, asked.size());
    }

    @Test
    void whatWasNotAnsweredInTimeIsNeitherAskedNorAwaitedOnceMore() {
        CompletableFuture<String> first = ask();
        assertThrows(CompletionException.class, first::join);
        assertTrue(ask().isCompletedExceptionally());
        assertEquals(1, asked.size());
    }

    @Test
    void whatWasAnsweredLateIsAskedAnew() {
        CompletableFuture<String> first = ask();
        assertThrows(CompletionException.class, first::join);
        asked.getFirst().complete("late");
        CompletableFuture<String> again = ask();
        asked.getLast().complete("new");
        assertEquals("new", again.join());
        assertEquals(2, asked.size());
    }

    private CompletableFuture<String> ask() {
        return questions.ask(
                "key",
                () -> {
                    CompletableFuture<String> answer = new CompletableFuture<>();
                    asked.add(answer);
                    return answer;
                });
    }
}
