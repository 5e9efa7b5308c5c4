<?php
// A PSR-15 handler, and what it is made of; with Composer the first lines are: require 'vendor/autoload.php'.
declare(strict_types=1);

use Nyholm\Psr7\Response;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

require is_file(__DIR__ . '/vendor/autoload.php') ? __DIR__ . '/vendor/autoload.php' : 'Nyholm/Psr7/autoload.php';

return new class () implements RequestHandlerInterface {
    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        $echo = ['Content-Type' => 'application/json', 'X-Latin' => "J\xfcrgen", 'Set-Cookie' => ['a=1', 'b=2']];
        return match ($request->getUri()->getPath()) {
            '/' => new Response(200, ['Content-Type' => 'text/plain'], "hello\n"),
            '/request' => new Response(200, $echo, json_encode([
                $request->getMethod(), (string) $request->getUri(), $request->getProtocolVersion(), $request->getQueryParams(),
                $request->getCookieParams(), (array) $request->getParsedBody(), bin2hex((string) $request->getBody()),
                array_map('bin2hex', array_filter([
                    'name' => $request->getHeaderLine('x-name'), 'many' => $request->getHeaderLine('x-many'),
                    'type' => $request->getHeaderLine('content-type'), 'host' => $request->getHeaderLine('host'),
                ])),
            ], JSON_THROW_ON_ERROR)),
            '/empty' => new Response(204),
            '/raises' => throw new DomainException('as it should'),
            default => new Response(404, ['Content-Type' => 'text/plain'], "There is nothing here.\n"),
        };
    }
};
