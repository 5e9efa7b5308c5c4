<?php
// The same handler by PHP's own server and Guzzle's request of the globals, for `php -S`.
require 'GuzzleHttp/Psr7/autoload.php';
$handler = require dirname(__DIR__) . '/psr15/example/app.php';
$response = $handler->handle(GuzzleHttp\Psr7\ServerRequest::fromGlobals());
http_response_code($response->getStatusCode());
foreach ($response->getHeaders() as $name => $values) {
    foreach ($values as $value) {
        header("$name: $value", false);
    }
}
echo $response->getBody();
