package dev.handoff.launcher;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import jakarta.json.Json;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds the arrows of the architecture: which package may depend on which, and which may touch the
 * world outside.
 *
 * <p>The launcher has everything on its class path, hence this place.
 */
@AnalyzeClasses(
        packages = "dev.handoff",
        importOptions = {
            ImportOption.DoNotIncludeTests.class,
            ArchitectureTest.DoNotIncludeTestJars.class
        })
class ArchitectureTest {
    /**
     * The fixtures of other modules come in a folder, which {@code make unit} has elsewhere, or in
     * a jar.
     */
    static final class DoNotIncludeTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar") && !location.contains("/unit/test-classes/");
        }
    }

    private static final String HTTP = "dev.handoff.http";
    private static final String WEBSOCKET = "dev.handoff.http.websocket";
    private static final String SYSTEM = "dev.handoff.system";
    private static final String LOOP = "dev.handoff.loop";
    private static final String SERVER = "dev.handoff.server";
    private static final String FORWARDING = "dev.handoff.server.forwarding";
    private static final String FILES = "dev.handoff.server.files";
    private static final String ROUTING = "dev.handoff.server.routing";
    private static final String PROTOCOL = "dev.handoff.process.protocol";
    private static final String DISPATCH = "dev.handoff.process.dispatch";
    private static final String SUPERVISE = "dev.handoff.process.supervise";
    private static final String JOIN = "dev.handoff.process.join";
    private static final String PROCESS = "dev.handoff.process";
    private static final String ADMIN = "dev.handoff.admin";
    private static final String ADMIN_API = "dev.handoff.admin.api";
    private static final String PAGE = "dev.handoff.admin.page";
    private static final String LAUNCHER = "dev.handoff.launcher..";

    /** Who is at the other end of a Unix socket; the one thing we use that only the JDK has. */
    private static final String PEER_CREDENTIALS = "jdk.net..";

    /** A part of the JDK that is not below java. */
    private static final String TLS = "javax.net.ssl..";

    /** Likewise; the subjects of certificates. */
    private static final String X500_NAMES = "javax.security.auth.x500..";

    private static final String JSON = "jakarta.json..";
    private static final String METRICS = "io.prometheus.client..";
    private static final String HISTOGRAM = "org.HdrHistogram..";

    /**
     * The other rules say nothing about a package that they do not name, such as one that was
     * renamed.
     */
    @ArchTest
    static void everyPackageIsOneThatTheRulesName(JavaClasses classes) {
        Set<String> unknown = new TreeSet<>();
        for (JavaClass each : classes) {
            String name = each.getPackageName();
            if (!name.startsWith("dev.handoff.launcher") && !name.startsWith(ADMIN)) {
                unknown.add(name);
            }
        }
        unknown.removeAll(
                Set.of(
                        HTTP,
                        WEBSOCKET,
                        SYSTEM,
                        LOOP,
                        SERVER,
                        FORWARDING,
                        FILES,
                        ROUTING,
                        PROTOCOL,
                        DISPATCH,
                        SUPERVISE,
                        JOIN,
                        PROCESS));
        assertEquals(Set.of(), unknown);
    }

    @ArchTest static final ArchRule httpDependsOnNothing = onlyDependsOn(HTTP);

    @ArchTest static final ArchRule webSocketsKnowHttpOnly = onlyDependsOn(WEBSOCKET, HTTP);

    @ArchTest static final ArchRule systemDependsOnNothing = onlyDependsOn(SYSTEM);

    @ArchTest static final ArchRule loopKnowsTheSystemOnly = onlyDependsOn(LOOP, SYSTEM, TLS);

    @ArchTest static final ArchRule forwardingKnowsHttpOnly = onlyDependsOn(FORWARDING, HTTP);

    @ArchTest
    static final ArchRule serverJoinsHttpAndLoop =
            onlyDependsOn(SERVER, FORWARDING, HTTP, WEBSOCKET, LOOP, TLS, X500_NAMES);

    @ArchTest
    static final ArchRule routingKnowsHandlers = onlyDependsOn(ROUTING, SERVER, FORWARDING, HTTP);

    @ArchTest
    static final ArchRule filesAreAHandler =
            onlyDependsOn(FILES, SERVER, FORWARDING, LOOP, SYSTEM, HTTP);

    @ArchTest
    static final ArchRule protocolKnowsHttpValuesAndJson = onlyDependsOn(PROTOCOL, HTTP, JSON);

    @ArchTest
    static final ArchRule dispatchKnowsNoProcess =
            onlyDependsOn(DISPATCH, PROTOCOL, SERVER, FORWARDING, LOOP, HTTP, WEBSOCKET);

    @ArchTest
    static final ArchRule supervisionKnowsNoFrames =
            onlyDependsOn(SUPERVISE, DISPATCH, PROTOCOL, LOOP, PEER_CREDENTIALS);

    @ArchTest
    static final ArchRule workersJoinTheDispatch =
            onlyDependsOn(JOIN, DISPATCH, PROTOCOL, LOOP, PEER_CREDENTIALS);

    @ArchTest
    static final ArchRule aPoolIsPutTogetherFromItsParts =
            onlyDependsOn(PROCESS, DISPATCH, SUPERVISE, JOIN, PROTOCOL, SERVER, LOOP, HTTP);

    @ArchTest
    static final ArchRule adminReadsServerAndProcess =
            onlyDependsOn(
                    ADMIN + "..",
                    SERVER,
                    FILES,
                    PROCESS + "..",
                    LOOP,
                    HTTP,
                    JSON,
                    METRICS,
                    HISTOGRAM);

    @ArchTest
    static final ArchRule theAdminApiKnowsNoStatistics =
            onlyDependsOn(ADMIN_API, SERVER, PROCESS + "..", LOOP, HTTP, JSON);

    @ArchTest
    static final ArchRule thePageKnowsNothingOfTheServer = onlyDependsOn(PAGE, ADMIN_API, HTTP);

    @ArchTest
    static final ArchRule nothingDependsOnTheLauncher =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(LAUNCHER)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(LAUNCHER)
                    .because("the launcher wires the others together");

    @ArchTest
    static final ArchRule onlyTheLauncherTouchesTheProcess =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(LAUNCHER)
                    .should()
                    .accessTargetWhere(
                            target(owner(type(System.class)))
                                    .and(
                                            target(
                                                    nameMatching(
                                                            "exit|getenv|getLogger|setOut|setErr|setIn"))))
                    .orShould()
                    .accessTargetWhere(
                            target(owner(type(Runtime.class)))
                                    .and(target(nameMatching("exit|halt|addShutdownHook"))))
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("sun.misc.Signal")
                    .orShould()
                    .dependOnClassesThat()
                    .resideInAPackage("java.util.logging..")
                    .because(
                            "a library does not exit, read the environment, catch signals or choose"
                                    + " where logs go");

    @ArchTest
    static final ArchRule onlyTheLauncherPrints =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(LAUNCHER)
                    .should()
                    .accessField(System.class, "out")
                    .orShould()
                    .accessField(System.class, "err")
                    .because("the others tell their listeners");

    @ArchTest
    static final ArchRule httpHasNoSockets =
            noClasses()
                    .that()
                    .resideInAPackage(HTTP + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("java.nio.channels..")
                    .orShould()
                    .dependOnClassesThat()
                    .haveNameMatching("java\\.net\\..*Socket.*")
                    .because("http turns bytes into values");

    @ArchTest
    static final ArchRule httpHasNoThreads =
            noClasses()
                    .that()
                    .resideInAPackage(HTTP + "..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching("java\\.lang\\.Thread.*")
                    .orShould()
                    .dependOnClassesThat()
                    .resideInAPackage("java.util.concurrent..")
                    .because("one thread owns each object of http, and http need not know which");

    @ArchTest
    static final ArchRule httpHasNoClock =
            noClasses()
                    .that()
                    .resideInAPackage(HTTP + "..")
                    .should()
                    .accessTargetWhere(
                            target(owner(type(System.class)))
                                    .and(target(nameMatching("nanoTime|currentTimeMillis"))))
                    .orShould()
                    .dependOnClassesThat()
                    .haveNameMatching("java\\.time\\..*Clock")
                    .orShould()
                    .accessTargetWhere(
                            target(nameMatching("now"))
                                    .and(target(owner(nameMatching("java\\.time\\..*")))))
                    .because("the time is given to http, so that its tests never wait");

    @ArchTest
    static final ArchRule jsonIsFoundOnce =
            noClasses()
                    .should()
                    .accessTargetWhere(target(owner(type(Json.class))))
                    .because(
                            "its methods search for the implementation anew for each object, which made /stats ten times as dear");

    @ArchTest
    static final ArchRule packagesHaveNoCircles =
            slices().matching("dev.handoff.(**)").should().beFreeOfCycles();

    @ArchTest
    static void classesHaveNoCircles(JavaClasses classes) {
        assertEquals(Set.of(), ClassCircles.in("dev.handoff", classes));
    }

    @ArchTest
    static final ArchRule theConfigurationUsesNoOtherRoomOfTheLauncher =
            noClasses()
                    .that()
                    .resideInAPackage("dev.handoff.launcher.config")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.handoff.launcher",
                            "dev.handoff.launcher.access",
                            "dev.handoff.launcher.check",
                            "dev.handoff.launcher.logging",
                            "dev.handoff.launcher.moving",
                            "dev.handoff.launcher.operator");

    /** It plays the core itself: what dispatches and supervises is what it stands in for. */
    @ArchTest
    static final ArchRule theCheckKnowsTheProtocolOnly =
            onlyDependsOn(
                    "dev.handoff.launcher.check",
                    PROTOCOL,
                    HTTP,
                    ADMIN_API,
                    "dev.handoff.launcher.logging",
                    JSON);

    /** It makes a file, and knows nothing of what serves it. */
    @ArchTest
    static final ArchRule movingKnowsNoServer =
            onlyDependsOn(
                    "dev.handoff.launcher.moving",
                    "dev.handoff.launcher.config",
                    PROTOCOL,
                    ADMIN_API,
                    JSON);

    /** Ours as given, the platform, and annotations that exist for the compiler alone. */
    private static ArchRule onlyDependsOn(String subject, String... others) {
        String[] allowed = new String[others.length + 3];
        System.arraycopy(others, 0, allowed, 0, others.length);
        allowed[others.length] = subject;
        allowed[others.length + 1] = "java..";
        allowed[others.length + 2] = "org.jspecify..";
        return classes()
                .that()
                .resideInAPackage(subject)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .allowEmptyShould(true);
    }
}
