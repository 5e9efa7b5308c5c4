/** What the admin API answers, as far as the page reads it; docs/ADMIN.md has all of it. */

export interface Percentiles {
  count: number;
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  "p99.9": number | null;
  max: number | null;
}

export type Counts = Record<string, number>;

export interface Pool {
  name: string;
  state: string;
  overloaded: boolean;
  lastError: string;
  concurrency: number;
  inFlight: number;
  workers: Counts;
  queue: {
    depth: number;
    limit: number;
    bytes: number;
    limitBytes: number;
    oldestAgeMillis: number;
    waitMillis: Percentiles;
  };
  rejected: Counts;
  requests: { dispatched: number; lost: number; failures: number; cancelled: Counts };
  exits: Counts;
  recent: { seconds: number; requestsPerSecond: number; waitMillis: Percentiles; handlerMillis: Percentiles };
}

export interface Loop {
  index: number;
  connections: number;
  requests: number;
  busyShare: number;
  lagMillis: { p50: number | null; p99: number | null; max: number | null };
  responsive: boolean;
}

export interface Certificate {
  file: string;
  names: string[];
  validFrom: string;
  expiresAt: string;
}

export interface Stats {
  server: { name: string; version: string; pid: number; startedAt: string; uptimeSeconds: number; state: string };
  tls: { listening: string[]; certificates: Certificate[] };
  window: { resets: number; resetAt: string; endedAt: string | null; seconds: number };
  limits: Counts;
  connections: { open: number; active: number; idle: number; accepted: number; acceptPaused: boolean };
  requests: {
    total: number;
    inFlight: number;
    perSecond: number;
    byStatus: Counts;
    bytesIn: number;
    bytesOut: number;
    abandoned: Counts;
    badResponses: number;
    handlerFailures: number;
    latencyMillis: Percentiles;
  };
  streams: { begun: number; open: number; bytes: number; ended: Counts };
  webSockets: { opened: number; open: number; closed: Counts };
  recent: { seconds: number; requestsPerSecond: number; errorsPerSecond: number; latencyMillis: Percentiles };
  buffers: { bytes: number; limitBytes: number; full: number };
  spool: { requests: number; bytes: number; limitBytes: number; full: number };
  refusedRequests: Counts;
  pools: Pool[];
  loops: Loop[];
}

export interface Worker {
  id: string;
  name: string;
  pid: number;
  host: string;
  state: string;
  concurrency: number;
  inFlight: number;
  requests: number;
  failures: number;
  cancels: number;
  lateResponses: number;
  restarts: number;
  ageSeconds: number | null;
  memoryBytes: number;
  oldestRequestMillis: number | null;
  lastError: string;
}

export interface Workers {
  pools: { name: string; workers: Worker[] }[];
  retiring: { name: string; workers: Worker[]; queued: number }[];
}

export interface InFlight {
  id: string | null;
  traceId: string | null;
  pool: string;
  retiring: boolean;
  worker: string | null;
  state: string;
  method: string;
  target: string;
  client: string;
  ageMillis: number;
  waitMillis: number | null;
  handlerMillis: number | null;
  deadlineInMillis: number | null;
}

export interface Requests {
  inHand: number;
  shown: number;
  requests: InFlight[];
}

/** One round of polling. What a part of the server could not tell is null, and `trouble` says why. */
export interface Snapshot {
  stats: Stats;
  workers: Workers | null;
  requests: Requests | null;
  trouble: string;
}

/** One second of the charts. `at` is the page's own clock in seconds, since the server's may start anew. */
export interface Point {
  at: number;
  requestsPerSecond: number | null;
  errorsPerSecond: number | null;
  rejectedPerSecond: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  inFlight: number;
  withWorkers: number;
  queued: number;
}

/** What a click asks of the server. */
export interface Operations {
  drain(worker: string): void;
  kill(worker: string): void;
  reload(pool: string): void;
  scale(pool: string, workers: number): void;
}
