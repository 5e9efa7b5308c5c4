<?php
// A whole Handoff worker in PHP, with the extensions of its command line alone; docs/PROTOCOL.md tells what it says and hears.
declare(strict_types=1);

// Your part: from a request to status, headers and content. Requests come one after the other.
function handle(object $request, string $body): array
{
    $text = [['content-type', 'text/plain']];
    [$path] = explode('?', $request->target, 2);
    if ($path === '/echo') {
        $headers = [['Echo-Method', $request->method], ['Echo-Target', $request->target]];
        return [200, [...$headers, ['Echo-Headers', json_encode($request->headers)]], $body];
    }
    return $path === '/' ? [200, $text, "hello\n"] : [404, $text, "There is nothing here.\n"];
}

// One connection to the core.
final class Worker
{
    private const EVENTS = [['content-type', 'text/event-stream'], ['cache-control', 'no-store']];
    private const HOW = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES;

    public static bool $terminated = false;
    public bool $draining = false;
    private string $out = '';
    private object $limits;
    private bool $streams = false;
    private array $clocks = [];  // event streams under way, by id
    private array $uploads = []; // requests in pieces, likewise
    private array $credit = [];  // the bytes that may still be sent to each clock and each WebSocket

    /** @param resource $core */
    public function __construct(private $core)
    {
        stream_set_blocking($core, true);
    }

    // Goes on until the core hangs up.
    public function serve(): void
    {
        $this->send([
            'type' => 'hello', 'protocol' => 1, 'pool' => getenv('HANDOFF_POOL') ?: null, 'token' => getenv('HANDOFF_TOKEN') ?: null,
            'concurrency' => (int) getenv('HANDOFF_CONCURRENCY') ?: 64, // 1 or 2 for a handler that waits for others
            'pid' => getmypid(), 'language' => 'php ' . PHP_VERSION, 'features' => ['streams', 'websockets'], 'streams' => 1000,
        ]);
        $unread = '';
        $tick = microtime(true) + 1;
        while ($this->write()) {
            $ready = [$this->core];
            $others = null;
            $wait = (int) max(0, 1e6 * ($tick - microtime(true)));
            if (@stream_select($ready, $others, $others, 0, $wait)) {
                $chunk = fread($this->core, 65_536);
                if ($chunk === '' || $chunk === false) {
                    return;
                }
                $unread = $this->takeFrames($unread . $chunk);
            }
            if (self::$terminated && !$this->draining) {
                $this->draining = true; // no new requests; the core hangs up when it has all responses
                $this->send(['type' => 'drain']);
            }
            if (microtime(true) >= $tick) {
                $tick = microtime(true) + 1;
                $event = date("\\d\\a\\t\\a: H:i:s\n\n");
                foreach (array_keys($this->clocks) as $id) {
                    $this->spend(strlen($event), ['type' => 'data', 'id' => $id, 'more' => true], $event);
                    if ($this->draining) {
                        $this->endClock($id); // browsers connect again, and find another worker
                    }
                }
            }
        }
    }

    // One write for one read: the speed.
    private function write(): bool
    {
        while ($this->out !== '') {
            $count = @fwrite($this->core, $this->out);
            if (!$count) {
                return false;
            }
            $this->out = substr($this->out, $count);
        }
        return true;
    }

    private function send(array $head, string $body = ''): void
    {
        $json = json_encode($head, self::HOW);
        $isResponse = $head['type'] === 'response';
        if ($isResponse && (strlen($json) > $this->limits->jsonBytes || strlen($body) > $this->limits->bodyBytes)) {
            throw new LengthException('the response is larger than the core takes');
        }
        $this->out .= pack('NN', strlen($json), strlen($body)) . $json . $body;
    }

    private function takeFrames(string $unread): string
    {
        $at = 0;
        while (strlen($unread) >= $at + 8) {
            ['json' => $json, 'body' => $body] = unpack('Njson/Nbody', $unread, $at);
            if (strlen($unread) < $at + 8 + $json + $body) {
                break;
            }
            $head = json_decode(substr($unread, $at + 8, $json), false, 64, self::HOW);
            $this->take($head, substr($unread, $at + 8 + $json, $body));
            $at += 8 + $json + $body;
        }
        return substr($unread, $at);
    }

    private function take(object $head, string $body): void
    {
        $id = $head->id ?? 0;
        switch ($head->type) {
            case 'welcome':
                $this->limits = $head->limits;
                $this->streams = in_array('streams', $head->features ?? [], true);
                break;
            case 'request':
                if ($id === 0) {
                    throw new UnexpectedValueException('a request without an id');
                }
                if ($head->more ?? false) {
                    $this->uploads[$id] = [$head, $body];
                } else {
                    $this->start($head, $body);
                }
                break;
            case 'data':
                if (isset($this->uploads[$id])) {
                    $this->uploads[$id][1] .= $body;
                    if (!($head->more ?? false)) {
                        $this->start(...$this->uploads[$id]);
                        unset($this->uploads[$id]);
                    }
                }
                break;
            case 'credit':
                if (isset($this->credit[$id])) {
                    $this->credit[$id] += $head->bytes;
                }
                break;
            case 'message':
                $this->spend(strlen($body) + 64, ['type' => 'message', 'id' => $id, 'text' => $head->text ?? false], $body);
                break;
            case 'close':
                if (isset($this->credit[$id])) {
                    unset($this->credit[$id]);
                    $this->send(['type' => 'close', 'id' => $id]);
                }
                break;
            case 'cancel':
                if (isset($this->clocks[$id])) {
                    $this->endClock($id);
                } elseif (isset($this->uploads[$id])) {
                    unset($this->uploads[$id]);
                    $this->send(['type' => 'failure', 'id' => $id, 'message' => 'cancelled']);
                }
                break;
            case 'ping':
                $this->send(['type' => 'pong']);
                break;
            case 'drain':
                $this->draining = true;
                break;
            case 'refused':
                throw new RuntimeException("refused: $head->message");
        }
    }

    private function start(object $request, string $body): void
    {
        $response = ['type' => 'response', 'id' => $request->id];
        if ($request->target === '/clock' && $this->streams) {
            $this->send([...$response, 'status' => 200, 'headers' => self::EVENTS, 'more' => true]);
            $this->clocks[$request->id] = true;
            $this->credit[$request->id] = $this->limits->streamBytes;
        } elseif ($request->target === '/chat' && isset($request->websocket)) {
            $this->send([...$response, 'status' => 101, 'more' => true]);
            $this->credit[$request->id] = $this->limits->streamBytes ?? 65_536;
        } else {
            try {
                [$status, $headers, $content] = handle($request, $body);
                $this->send([...$response, 'status' => $status, 'headers' => $headers], $content);
            } catch (Throwable $fault) {
                $this->send(['type' => 'failure', 'id' => $request->id, 'message' => (string) $fault]);
            }
        }
    }

    // A client that does not read misses what is sent meanwhile.
    private function spend(int $bytes, array $head, string $body): void
    {
        if (($this->credit[$head['id']] ?? 0) > 0) {
            $this->credit[$head['id']] -= $bytes;
            $this->send($head, $body);
        }
    }

    private function endClock(int $id): void
    {
        unset($this->clocks[$id], $this->credit[$id]);
        $this->send(['type' => 'data', 'id' => $id]);
    }
}

$socket = getenv('HANDOFF_SOCKET');
if (!$socket) {
    fwrite(STDERR, "HANDOFF_SOCKET is not set: start this worker with 'handoff run worker.php'\n");
    exit(2);
}
pcntl_async_signals(true);
pcntl_signal(SIGINT, SIG_IGN); // Ctrl-C reaches the core, which drains its workers
pcntl_signal(SIGTERM, fn () => Worker::$terminated = true, false);
for ($pause = 0.1;; $pause = min(2 * $pause, 5)) {
    $drained = false;
    try {
        if ($core = @stream_socket_client("unix://$socket", $code, $message)) {
            $worker = new Worker($core);
            $worker->serve();
            $drained = $worker->draining;
        } else {
            fwrite(STDERR, "no core: $message\n");
        }
    } catch (JsonException | RuntimeException | TypeError $fault) {
        fwrite(STDERR, "no core, or a broken frame: {$fault->getMessage()}\n");
    } finally {
        unset($worker, $core); // hangs up
    }
    if (getenv('HANDOFF_TOKEN') || Worker::$terminated) { // a worker that the core started leaves with it
        exit($drained ? 0 : 1);
    }
    $pause = $drained ? 0.1 : $pause;
    usleep((int) ($pause * random_int(500_000, 1_500_000)));
}
