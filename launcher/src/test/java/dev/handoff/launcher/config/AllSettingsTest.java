package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class AllSettingsTest {
    @Test
    void noTwoSettingsShareAFlagAVariableOrAKey() {
        assertDistinct(Setting::flag);
        assertDistinct(Setting::variable);
        assertDistinct(Setting::key);
    }

    @Test
    void noListHasASettingTwice() {
        for (List<Setting<?>> list :
                List.of(
                        AllSettings.ofRun(),
                        AllSettings.ofServe(),
                        AllSettings.limits(),
                        AllSettings.inFile(),
                        AllSettings.ofPool(true),
                        AllSettings.ofPool(false),
                        AllSettings.chosenByPools())) {
            assertEquals(list.size(), new HashSet<>(list).size(), list.toString());
        }
    }

    /** What a class declares is found by its commands and in the file. */
    @Test
    void everyDeclaredSettingIsInAList() throws IllegalAccessException {
        Set<String> declared = new TreeSet<>();
        for (var field : AllSettings.class.getDeclaredFields()) {
            if (field.getType().equals(Setting.class)) {
                declared.add(((Setting<?>) field.get(null)).flag());
            }
        }
        Set<String> listed = new TreeSet<>();
        all().forEach(setting -> listed.add(setting.flag()));
        assertEquals(declared, listed);
        assertTrue(listed.size() > 40, listed.toString());
    }

    @Test
    void aPoolChoosesNothingThatThePoolsDoNotHave() {
        assertTrue(AllSettings.ofPool(true).containsAll(AllSettings.chosenByPools()));
        assertTrue(AllSettings.inFile().containsAll(AllSettings.ofPool(true)));
        assertTrue(AllSettings.ofPool(true).containsAll(AllSettings.ofPool(false)));
    }

    @Test
    void thePoolsKeysAreThoseOfTheSettingsThatAPoolChooses() {
        List<Setting<?>> found = new ArrayList<>(PoolKey.settings().values());
        PoolKey.groups().values().forEach(group -> found.addAll(group.values()));
        assertEquals(new HashSet<>(AllSettings.chosenByPools()), new HashSet<>(found));
        assertEquals(found.size(), new HashSet<>(found).size());
    }

    private static void assertDistinct(Function<Setting<?>, String> name) {
        Set<String> seen = new HashSet<>();
        for (Setting<?> setting : all()) {
            assertTrue(seen.add(name.apply(setting)), name.apply(setting));
        }
    }

    private static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>(AllSettings.inFile());
        all.addAll(Arrays.asList(AllSettings.WATCH, AllSettings.DEBUG, AllSettings.CONFIG));
        return all;
    }
}
