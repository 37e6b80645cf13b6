// A collector of traces for tests: it takes OTLP over HTTP as a real one does, and gives back what came.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean; doubleValue?: number };
type Pair = { key: string; value: Value };
type WireSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pair[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
};
type ExportRequest = {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: WireSpan[] }[] }[];
};
type Attributes = Record<string, string | number | boolean>;

export type CollectedSpan = Omit<WireSpan, 'attributes'> & { attributes: Attributes };
type Asked = { path: string; headers: http.IncomingHttpHeaders; raw: string; resource: Attributes };
type Answer = (response: http.ServerResponse) => void;

const taken: Answer = (response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"partialSuccess":{}}');
};

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** Listens until the end. `answer` can be replaced while it runs; what it does not answer with 200 is not counted as taken. */
export async function startCollector(lifetime: Lifetime, answer: Answer = taken) {
  const asked: Asked[] = [];
  const spans: CollectedSpan[] = [];
  const state = { answer };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString('utf8');
    const { resourceSpans } = JSON.parse(raw) as ExportRequest;
    const resource = plain(resourceSpans[0]!.resource.attributes);
    asked.push({ path: request.url!, headers: request.headers, raw, resource });
    response.on('finish', () => {
      if (response.statusCode === 200) spans.push(...resourceSpans.flatMap(spansIn));
    });
    state.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    spans,
    taken: () => {
      state.answer = taken;
    },
    /** Waits for a span of which this holds. */
    span: (what: string, holds: (span: CollectedSpan) => boolean) =>
      until(`a span: ${what}`, () => spans.find(holds)),
  });
}

const spansIn = ({ scopeSpans }: ExportRequest['resourceSpans'][number]): CollectedSpan[] =>
  scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, attributes: plain(span.attributes) })));

const plain = (pairs: Pair[]): Attributes =>
  Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, boolValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
