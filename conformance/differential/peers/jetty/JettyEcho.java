import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Jetty: says in a field of its answer which request it saw, its parts in hex. */
public class JettyEcho extends Handler.Abstract {
    private static final int ANSWER_HEAD_BYTES = 64 * 1024;

    public static void main(String[] arguments) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setResponseHeaderSize(ANSWER_HEAD_BYTES);
        Server server = new Server();
        ServerConnector connector =
                new ServerConnector(server, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new JettyEcho());
        server.setErrorHandler(JettyEcho::refuse);
        server.start();
        System.out.println("port " + connector.getLocalPort());
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        ByteBuffer content;
        try {
            content = Content.Source.asByteBuffer(request);
        } catch (Exception failure) {
            Response.writeError(request, response, callback, 400, failure.toString());
            return true;
        }
        byte[] body = new byte[content.remaining()];
        content.get(body);
        String method = hex(request.getMethod());
        String target = hex(request.getHttpURI().getPathQuery());
        response.getHeaders().put("Echo", method + "." + target + "." + shown(body));
        response.getHeaders().put("Content-Length", "0");
        response.write(true, null, callback);
        return true;
    }

    private static boolean refuse(Request request, Response response, Callback callback) {
        Object message = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
        response.getHeaders().put("Refused", String.valueOf(message).replaceAll("[^ -~]", "?"));
        response.getHeaders().put("Content-Length", "0");
        response.getHeaders().put("Connection", "close");
        response.write(true, null, callback);
        return true;
    }

    private static String shown(byte[] body) throws Exception {
        if (body.length <= 1024) {
            return HexFormat.of().formatHex(body);
        }
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
        return body.length + ":" + HexFormat.of().formatHex(digest);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
