<?php
// For PHP's own server: handoff run --http --concurrency 1 -- php -S '127.0.0.1:{port}' server.php
// It takes one request at a time; PHP_CLI_SERVER_WORKERS=4 and --concurrency 4 make it four.

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

if ($path === '/echo') {
    header('Echo-Method: ' . $_SERVER['REQUEST_METHOD']);
    header('Echo-Target: ' . $_SERVER['REQUEST_URI']);
    header('Echo-Client: ' . $_SERVER['HTTP_X_FORWARDED_FOR']);
    echo file_get_contents('php://input');
} elseif ($path === '/clock') {
    header('Content-Type: text/event-stream');
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    while (!connection_aborted()) {
        echo date('\d\a\t\a: H:i:s'), "\n\n";
        flush();
        sleep(1);
    }
} else {
    echo "hello\n";
}
