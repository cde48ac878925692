import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;

/** One OpenSearch node from the class path: {@code Launcher HOME PORT READY_FILE}. Compiles against 2.19 and 3.5. */
public final class Launcher {

    /** Each with its name in the 3.x line and in the 2.x line. */
    private static final String[][] PLUGINS = {
        {"org.opensearch.transport.Netty4ModulePlugin", "org.opensearch.transport.Netty4Plugin"},
        {"org.opensearch.analysis.common.CommonAnalysisModulePlugin", "org.opensearch.analysis.common.CommonAnalysisPlugin"},
        {"org.opensearch.index.mapper.MapperExtrasModulePlugin", "org.opensearch.index.mapper.MapperExtrasPlugin"},
        {"org.opensearch.index.reindex.ReindexModulePlugin", "org.opensearch.index.reindex.ReindexPlugin"},
        {"org.opensearch.knn.plugin.KNNPlugin"},
    };

    private Launcher() {}

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Path ready = Path.of(arguments[2]);
        for (String folder : List.of("config", "data", "logs", "modules", "plugins")) {
            Files.createDirectories(home.resolve(folder));
        }
        Settings settings = Settings.builder()
            .put("cluster.name", "remembrancer")
            .put("node.name", "node")
            .put("path.home", home.toString())
            .put("path.data", home.resolve("data").toString())
            .put("path.logs", home.resolve("logs").toString())
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            .put("node.processors", 2)
            // A full disk or a small heap must not make a test node refuse writes.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("indices.breaker.total.use_real_memory", false)
            .build();
        Environment environment =
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "node");
        Node node = node(environment);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
        node.start();
        String address = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().toString();
        Path part = ready.resolveSibling(ready.getFileName() + ".part");
        Files.writeString(part, address);
        Files.move(part, ready, StandardCopyOption.ATOMIC_MOVE);
        Thread.currentThread().join();
    }

    private static void close(Node node) {
        try {
            node.close();
            node.awaitClose(10, TimeUnit.SECONDS);
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    /** The constructor that takes plugins is protected; it wants classes up to 3.0, descriptions from 3.1 on. */
    private static Node node(Environment environment) throws Exception {
        Constructor<Node> constructor =
            Node.class.getDeclaredConstructor(Environment.class, Collection.class, boolean.class);
        constructor.setAccessible(true);
        boolean described = constructor.getGenericParameterTypes()[1].getTypeName().contains("PluginInfo");
        Collection<Object> plugins = new ArrayList<>();
        for (String[] names : PLUGINS) {
            Class<? extends Plugin> plugin = plugin(names);
            plugins.add(described ? info(plugin) : plugin);
        }
        try {
            return constructor.newInstance(environment, plugins, true);
        } catch (InvocationTargetException error) {
            throw new IllegalStateException(error.getCause());
        }
    }

    private static Class<? extends Plugin> plugin(String[] names) throws ClassNotFoundException {
        for (String name : names) {
            try {
                return Class.forName(name).asSubclass(Plugin.class);
            } catch (ClassNotFoundException otherLine) {
                continue;
            }
        }
        throw new ClassNotFoundException(names[0]);
    }

    /** A description with the version of the server; what the rest says does not matter to a class path plugin. */
    private static Object info(Class<? extends Plugin> plugin) throws Exception {
        for (Constructor<?> constructor : PluginInfo.class.getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length < 8 || types[0] != String.class || types[3] != Version.class) {
                continue;
            }
            Object[] values = new Object[types.length];
            values[0] = plugin.getName();
            values[1] = "from the class path";
            values[2] = "NA";
            values[3] = Version.CURRENT;
            values[4] = Integer.toString(Runtime.version().feature());
            values[5] = plugin.getName();
            for (int i = 6; i < types.length; i++) {
                values[i] = types[i] == boolean.class ? Boolean.FALSE : List.class.isAssignableFrom(types[i]) ? List.of() : null;
            }
            return constructor.newInstance(values);
        }
        throw new IllegalStateException("PluginInfo has no constructor that fits");
    }
}
