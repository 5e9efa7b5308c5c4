<?php
// Serves any PSR-15 request handler behind Handoff: handoff run handoff.php -- app.php, a file that returns the handler.
declare(strict_types=1);

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** The packages whose class makes both requests and streams (PSR-17); the first that is there counts. */
const FACTORIES = ['Nyholm\Psr7\Factory\Psr17Factory', 'GuzzleHttp\Psr7\HttpFactory'];

/** A request of the core as PSR-7 has it. */
function request(object $factory, object $head, string $content): ServerRequestInterface
{
    $headers = array_map(fn (array $header): array => [$header[0], iconv('UTF-8', 'ISO-8859-1', $header[1])], $head->headers);
    $host = array_column($headers, 1, 0)['host'] ?? 'localhost';
    $uri = "http://$host" . ($head->target === '*' ? '' : $head->target);
    [$address, $port] = preg_split('/:(?=\d+$)/', $head->client);
    $server = ['REQUEST_METHOD' => $head->method, 'REQUEST_URI' => $head->target, 'REQUEST_TIME_FLOAT' => microtime(true)];
    $server += ['SERVER_PROTOCOL' => "HTTP/$head->version", 'REMOTE_ADDR' => trim($address, '[]'), 'REMOTE_PORT' => $port];
    $request = $factory->createServerRequest($head->method, $uri, $server)->withProtocolVersion($head->version);
    foreach ($headers as [$name, $value]) {
        $request = $name === 'host' ? $request->withHeader($name, $value) : $request->withAddedHeader($name, $value);
    }
    parse_str($request->getUri()->getQuery(), $query);
    $form = null;
    if (str_starts_with($request->getHeaderLine('content-type'), 'application/x-www-form-urlencoded')) {
        parse_str($content, $form);
    }
    preg_match_all('/\s*([^;=\s]+)=([^;]*)/', $request->getHeaderLine('cookie'), $found);
    $cookies = array_combine($found[1], array_map('urldecode', $found[2]));
    $stream = fopen('php://temp', 'r+b'); // from its beginning, and writable
    fwrite($stream, $content);
    rewind($stream);
    $body = $factory->createStreamFromResource($stream);
    return $request->withQueryParams($query)->withParsedBody($form)->withCookieParams($cookies)->withBody($body);
}

/** A response's headers as the core takes them: each value by itself, each octet a character. */
function headers(ResponseInterface $response): array
{
    $headers = [];
    foreach ($response->getHeaders() as $name => $values) {
        foreach ($values as $value) {
            $headers[] = [(string) $name, iconv('ISO-8859-1', 'UTF-8', $value)];
        }
    }
    return $headers;
}

function frame(array $head, string $body = ''): string
{
    $json = json_encode($head, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
    return pack('NN', strlen($json), strlen($body)) . $json . $body;
}

/** One connection to the core. Requests come one after the other. */
final class Connection
{
    public static bool $terminated = false;
    public bool $draining = false;
    private object $limits;

    /** @param resource $core */
    public function __construct(private $core, private RequestHandlerInterface $handler, private object $factory)
    {
    }

    /** Goes on until the core hangs up. */
    public function serve(): void
    {
        $window = (int) getenv('HANDOFF_CONCURRENCY') ?: 2; // the next request is there when the first is answered
        $hello = ['type' => 'hello', 'protocol' => 1, 'concurrency' => $window, 'pid' => getmypid(), 'sdk' => 'psr-15'];
        $hello += ['pool' => getenv('HANDOFF_POOL') ?: null, 'token' => getenv('HANDOFF_TOKEN') ?: null];
        $this->write(frame($hello));
        while (($prefix = $this->read(8)) !== null) {
            ['json' => $json, 'body' => $body] = unpack('Njson/Nbody', $prefix);
            $head = json_decode((string) $this->read($json), false, 64, JSON_THROW_ON_ERROR);
            $this->take($head, (string) $this->read($body));
        }
    }

    /** No new requests; the core hangs up when it has all responses. */
    public function leave(): void
    {
        if (!$this->draining) {
            $this->draining = true;
            $this->write(frame(['type' => 'drain']));
        }
    }

    private function read(int $size): ?string
    {
        $read = '';
        while (strlen($read) < $size) {
            $ready = [$this->core];
            $others = null;
            if (self::$terminated) {
                $this->leave();
            }
            // A signal ends the wait; one that came just before it, the second.
            if (@stream_select($ready, $others, $others, 1)) {
                $part = fread($this->core, $size - strlen($read));
                if ($part === '' || $part === false) {
                    return null;
                }
                $read .= $part;
            }
        }
        return $read;
    }

    private function write(string $bytes): void
    {
        while ($bytes !== '') {
            $count = @fwrite($this->core, $bytes) ?: throw new RuntimeException('the core is gone');
            $bytes = substr($bytes, $count);
        }
    }

    private function take(object $head, string $body): void
    {
        match ($head->type) {
            'welcome' => $this->limits = $head->limits,
            'request' => $this->write($this->answer($head->id ?? throw new UnexpectedValueException('no id'), $head, $body)),
            'ping' => $this->write(frame(['type' => 'pong'])),
            'drain' => $this->draining = true,
            'refused' => throw new RuntimeException("refused: $head->message"),
            default => null, // what a newer core says; a cancelled request is answered all the same
        };
    }

    private function answer(int $id, object $head, string $body): string
    {
        try {
            $response = $this->handler->handle(request($this->factory, $head, $body));
            $content = (string) $response->getBody();
            $answer = ['type' => 'response', 'id' => $id, 'status' => $response->getStatusCode()];
            $answer += ['reason' => $response->getReasonPhrase(), 'headers' => headers($response)];
            $frame = frame($answer, $content);
            if (strlen($content) > $this->limits->bodyBytes || strlen($frame) - strlen($content) > $this->limits->jsonBytes) {
                throw new LengthException('the response is larger than the core takes');
            }
            return $frame;
        } catch (Throwable $fault) {
            return frame(['type' => 'failure', 'id' => $id, 'message' => (string) $fault]);
        }
    }
}

$socket = getenv('HANDOFF_SOCKET');
if (!$socket || $argc !== 2) {
    fwrite(STDERR, "start this by: handoff run handoff.php -- app.php\n");
    exit(2);
}
$handler = require realpath($argv[1]) ?: $argv[1];
$factories = array_filter(FACTORIES, 'class_exists');
if (!$handler instanceof RequestHandlerInterface || !$factories) {
    fwrite(STDERR, "$argv[1] has to return a RequestHandlerInterface, and to load one of " . implode(', ', FACTORIES) . "\n");
    exit(2);
}
$factory = new (reset($factories))();
pcntl_async_signals(true);
pcntl_signal(SIGINT, SIG_IGN); // Ctrl-C reaches the core, which drains its workers
pcntl_signal(SIGTERM, fn () => Connection::$terminated = true, false);
for ($pause = 0.1;; $pause = min(2 * $pause, 5)) {
    $drained = false;
    try {
        $core = @stream_socket_client("unix://$socket", $code, $message) ?: throw new RuntimeException($message);
        $connection = new Connection($core, $handler, $factory);
        $connection->serve();
        $drained = $connection->draining;
    } catch (JsonException | RuntimeException | TypeError | ValueError $fault) {
        fwrite(STDERR, "no core, or a broken frame: {$fault->getMessage()}\n");
    } finally {
        unset($connection, $core); // hangs up
    }
    if (getenv('HANDOFF_TOKEN') || Connection::$terminated) { // a worker that the core started leaves with it
        exit($drained ? 0 : 1);
    }
    $pause = $drained ? 0.1 : $pause;
    usleep((int) ($pause * random_int(500_000, 1_500_000)));
}
