# A whole Handoff worker in Perl, with core modules alone; docs/PROTOCOL.md tells what it says and hears.
use v5.20;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use JSON::PP;
use POSIX 'strftime';
use Time::HiRes qw(sleep time);

my $json = JSON::PP->new->ascii;

# Your part: from a request to status, headers and content. Requests come one after the other.
sub handle {
    my ($request, $body) = @_;
    my $text = [['content-type', 'text/plain']];
    my ($path) = split /\?/, $request->{target};
    return (200, $text, "hello\n") if $path eq '/';
    return (404, $text, "There is nothing here.\n") if $path ne '/echo';
    my @headers = (['Echo-Method', $request->{method}], ['Echo-Target', $request->{target}]);
    return (200, [@headers, ['Echo-Headers', $json->encode($request->{headers})]], $body);
}

my ($core, $limits, $streams, $draining, $terminated);
my $out;        # what the core gets next, in one write for one read: the speed
my %clocks;     # event streams under way, by id
my %uploads;    # requests in pieces, likewise
my %credit;     # the bytes that may still be sent to each clock and each WebSocket

sub put {
    my ($head, $body) = (@_, '');
    my $text = $json->encode($head);
    if ($head->{type} eq 'response' && (length $text > $limits->{jsonBytes} || length $body > $limits->{bodyBytes})) {
        return put({type => 'failure', id => $head->{id}, message => 'the response is larger than the core takes'});
    }
    $out .= pack('NN', length $text, length $body) . $text . $body;
}

sub start {
    my ($head, $body) = @_;
    my $id = $head->{id} // die "the core sent a request without an id\n";
    if ($head->{target} eq '/clock' && $streams) {
        my $events = [['content-type', 'text/event-stream'], ['cache-control', 'no-store']];
        put({type => 'response', id => $id, status => 200, headers => $events, more => JSON::PP::true});
        ($clocks{$id}, $credit{$id}) = (1, $limits->{streamBytes});
    } elsif ($head->{target} eq '/chat' && $head->{websocket}) {
        put({type => 'response', id => $id, status => 101, more => JSON::PP::true});
        $credit{$id} = $limits->{streamBytes} // 65536;
    } elsif (my ($status, $headers, $content) = eval { handle($head, $body) }) {
        put({type => 'response', id => $id, status => $status, headers => $headers}, $content);
    } else {
        put({type => 'failure', id => $id, message => "$@"});
    }
}

# A client that does not read misses what is sent meanwhile.
sub spend {
    my ($head, $body, $bytes) = @_;
    return if ($credit{$head->{id}} // 0) <= 0;
    $credit{$head->{id}} -= $bytes;
    put($head, $body);
}

sub end_clock {
    my ($id) = @_;
    delete $credit{$id};
    put({type => 'data', id => 0 + $id}) if delete $clocks{$id};
}

my %take = (
    welcome => sub { ($limits, $streams) = ($_[0]{limits}, grep { $_ eq 'streams' } @{$_[0]{features} // []}) },
    request => sub { $_[0]{more} ? $uploads{$_[0]{id}} = [@_] : start(@_) },
    data => sub {
        my $upload = $uploads{$_[0]{id}} // return;
        $upload->[1] .= $_[1];
        start(@{delete $uploads{$_[0]{id}}}) if !$_[0]{more};
    },
    credit => sub { $credit{$_[0]{id}} += $_[0]{bytes} if exists $credit{$_[0]{id}} },
    message => sub { spend({type => 'message', id => $_[0]{id}, text => $_[0]{text}}, $_[1], length($_[1]) + 64) },
    close => sub { put({type => 'close', id => $_[0]{id}}) if defined delete $credit{$_[0]{id}} },
    cancel => sub {
        end_clock($_[0]{id});
        put({type => 'failure', id => $_[0]{id}, message => 'cancelled'}) if delete $uploads{$_[0]{id}};
    },
    ping => sub { put({type => 'pong'}) },
    drain => sub { $draining = 1 },
    refused => sub { die "refused: $_[0]{message}\n" },
);

# Goes on until the core hangs up.
sub serve {
    $core = IO::Socket::UNIX->new($ENV{HANDOFF_SOCKET}) or die "no core: $!\n";
    ($out, my $unread, my $tick) = ('', '', time + 1);
    %$_ = () for \%clocks, \%uploads, \%credit;
    put({
        type => 'hello', protocol => 1, pool => $ENV{HANDOFF_POOL}, token => $ENV{HANDOFF_TOKEN}, pid => $$,
        concurrency => 0 + ($ENV{HANDOFF_CONCURRENCY} || 64),    # 1 or 2 for a handler that waits for others
        language => sprintf('perl %vd', $^V), features => ['streams', 'websockets'], streams => 1000,
    });
    my $select = IO::Select->new($core);
    while (1) {
        while (length $out) {
            substr($out, 0, syswrite($core, $out) // ($!{EINTR} ? 0 : return)) = '';
        }
        my $wait = $tick - time;
        if ($select->can_read($wait > 0 ? $wait : 0)) {
            my $count = sysread($core, $unread, 65536, length $unread);
            return if !$count && !$!{EINTR};
            while (length $unread >= 8) {
                my ($json_bytes, $body_bytes) = unpack 'NN', $unread;
                last if length $unread < 8 + $json_bytes + $body_bytes;
                my (undef, $text, $body) = unpack "a8 a$json_bytes a$body_bytes", $unread;
                substr($unread, 0, 8 + $json_bytes + $body_bytes) = '';
                my $head = JSON::PP->new->utf8->decode($text);
                ($take{$head->{type}} // sub {})->($head, $body);
            }
        }
        if ($terminated && !$draining) {
            $draining = 1;
            put({type => 'drain'});    # no new requests; the core hangs up when it has all responses
        }
        if (time >= $tick) {
            ($tick, my $event) = (time + 1, strftime("data: %H:%M:%S\n\n", localtime));
            for my $id (keys %clocks) {
                spend({type => 'data', id => 0 + $id, more => JSON::PP::true}, $event, length $event);
                end_clock($id) if $draining;    # browsers come again, and find another worker
            }
        }
    }
}

if (!$ENV{HANDOFF_SOCKET}) {
    say STDERR q(HANDOFF_SOCKET is not set: start this worker with 'handoff run worker.pl');
    exit 2;
}
$SIG{INT} = $SIG{PIPE} = 'IGNORE';    # Ctrl-C reaches the core, which drains its workers
$SIG{TERM} = sub { $terminated = 1 };
for (my $pause = 0.1;; $pause = $pause > 2.5 ? 5 : 2 * $pause) {
    eval { serve(); 1 } or print STDERR $@;
    undef $core;    # hangs up
    exit($draining ? 0 : 1) if $ENV{HANDOFF_TOKEN} || $terminated;    # a worker that the core started leaves with it
    ($pause, $draining) = (0.05, 0) if $draining;
    sleep $pause * (0.5 + rand);
}
