// Two pages for the people who use the API: the reference, drawn by Scalar from the OpenAPI document, and
// the list of errors, to which every error's docUrl points. Neither loads anything from another host.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { type ErrorEntry, errorCatalogue } from '../../errors/error-catalogue.ts';
import { escapeHtml, head, safeHeaders } from '../html.ts';

type Options = {
  openapiUrl: string;
  /** Where people are led from `/`, where that is not the reference. */
  home?: string | undefined;
};

export function docsPages(app: FastifyInstance, options: Options): void {
  const version = scalarVersion();
  frontDoor(app, options);
  referencePage(app, version, options.openapiUrl);
  referenceScript(app, version);
  errorsPage(app);
}

/** People are led to where they work, or to the reference; programs are told where things are. */
function frontDoor(app: FastifyInstance, { openapiUrl, home }: Options): void {
  const places = {
    ...(home && { console: home }),
    docs: '/docs',
    errors: '/docs/errors',
    openapi: openapiUrl,
    health: '/healthz',
  };
  app.get('/', (request, reply) => {
    reply.headers({ ...safeHeaders, vary: 'accept', 'cache-control': 'no-cache' });
    return request.headers.accept?.includes('text/html')
      ? reply.redirect(home ?? '/docs')
      : reply.send(places);
  });
}

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

function pageHeaders(sources: string) {
  const everywhere = "default-src 'none'; img-src 'self' data:; base-uri 'none'; form-action 'none'";
  const policy = `${everywhere}; frame-ancestors 'none'; ${sources}`;
  return { ...safeHeaders, 'content-security-policy': policy, 'cache-control': 'no-cache' };
}

// ---- the reference

function referencePage(app: FastifyInstance, version: string, openapiUrl: string): void {
  const page = `<!doctype html>
<html lang="en">
<head>
${head('Godwit API reference')}
<script src="/docs/start.js" defer></script>
<script src="/docs/scalar.js?v=${encodeURIComponent(version)}" defer></script>
</head>
<body>
<div id="app"></div>
<noscript><p>This page needs JavaScript. The API is described in <a href="${escapeHtml(openapiUrl)}">the OpenAPI
document</a>, and its errors on <a href="/docs/errors">a page of their own</a>.</p></noscript>
</body>
</html>
`;
  // Scalar writes style elements and attributes as it draws; scripts stay limited to our files.
  const headers = pageHeaders("script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'");
  app.get('/docs', (_request, reply) => reply.type(html).headers(headers).send(page));
  const start = startScript(openapiUrl);
  const startHeaders = { ...safeHeaders, 'cache-control': 'no-cache' };
  app.get('/docs/start.js', (_request, reply) => reply.type(javascript).headers(startHeaders).send(start));
}

// Everything that would call or lead to Scalar's own services is off.
const scalarConfiguration = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  proxyUrl: '',
  persistAuth: false,
  documentDownloadType: 'direct',
};

// Runs before Scalar: its validator would else try whether it may build code from text, which the page forbids.
const startScript = (openapiUrl: string) => `globalThis.__zod_globalConfig = { jitless: true };
addEventListener('DOMContentLoaded', () => {
  Scalar.createApiReference('#app', ${JSON.stringify({ url: openapiUrl, ...scalarConfiguration })});
});
`;

function referenceScript(app: FastifyInstance, version: string): void {
  const etag = `W/"scalar-${version}"`;
  let bundle: ReturnType<typeof loadScalar> | undefined;
  app.get('/docs/scalar.js', async (request, reply) => {
    // The address carries the version, so a browser need never ask again.
    reply.headers({ ...safeHeaders, etag, 'cache-control': 'public, max-age=31536000, immutable' });
    reply.header('vary', 'accept-encoding');
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    bundle ??= loadScalar();
    const { plain, zipped } = await bundle;
    if (!request.headers['accept-encoding']?.includes('gzip')) return reply.type(javascript).send(plain);
    return reply.type(javascript).header('content-encoding', 'gzip').send(zipped);
  });
}

const scalarPackage = '@scalar/fastify-api-reference';

function scalarVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve(scalarPackage));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

// The package holds the script in a string of 4 MB and gives it away only by serving it; so it serves it to us,
// on the first request, because most servers never see one and their start should not wait.
async function loadScalar() {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(scalar, { routePrefix: '/scalar', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await server.inject('/scalar/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`${scalarPackage} does not serve its script: ${statusCode}`);
  return { plain: rawPayload, zipped: await promisify(gzip)(rawPayload) };
}

// ---- the errors

function errorsPage(app: FastifyInstance): void {
  const digest = createHash('sha256').update(errorsStyle).digest('base64');
  const headers = pageHeaders(`style-src 'sha256-${digest}'`);
  const page = renderErrors();
  app.get('/docs/errors', (_request, reply) => reply.type(html).headers(headers).send(page));
}

type Listed = ErrorEntry & { code: string };

function renderErrors(): string {
  const errors = Object.entries<ErrorEntry>(errorCatalogue).map(([code, entry]) => ({ code, ...entry }));
  const groups = [...Map.groupBy(errors, (error) => error.group)];
  return `<!doctype html>
<html lang="en">
<head>
${head('Godwit API errors')}
<style>${errorsStyle}</style>
</head>
<body>
<header>
<p><a href="/docs">API reference</a></p>
<h1>Errors</h1>
<p>Every error answer carries one of these ${errors.length} codes. A code never changes its meaning: decide by the
code, not by the message. Only an error marked retryable can be helped by sending the same request again.</p>
</header>
<nav aria-label="Error codes">
${groups.map(([group, listed]) => renderContents(group, listed)).join('\n')}
</nav>
<main>
${groups.map(([group, listed]) => renderGroup(group, listed)).join('\n')}
</main>
</body>
</html>
`;
}

// Codes are written in capitals, so a group's anchor never takes the place of a code's.
const groupId = (group: string) => escapeHtml(group.toLowerCase().replaceAll(' ', '-'));

function renderContents(group: string, errors: Listed[]): string {
  const links = errors.map(({ code }) => `<li><a href="#${escapeHtml(code)}">${escapeHtml(code)}</a></li>`);
  return `<h2><a href="#${groupId(group)}">${escapeHtml(group)}</a></h2>\n<ul>${links.join('\n')}</ul>`;
}

function renderGroup(group: string, errors: Listed[]): string {
  return `<section>
<h2 id="${groupId(group)}">${escapeHtml(group)}</h2>
${errors.map(renderError).join('\n')}
</section>`;
}

function renderError(error: Listed): string {
  const code = escapeHtml(error.code);
  const status = `${error.status} ${STATUS_CODES[error.status] ?? ''}`;
  return `<article id="${code}">
<h3><a href="#${code}">${code}</a></h3>
<p class="facts">
<span class="${error.status >= 500 ? 'ours' : 'yours'}">${escapeHtml(status.trim())}</span>
<span>${escapeHtml(error.type)}</span>
<span${error.retryable ? ' class="retry"' : ''}>${escapeHtml(retryAdvice(error))}</span>
</p>
<dl>
<dt>What it means</dt><dd>${escapeHtml(error.message)}</dd>
<dt>What to do</dt><dd>${escapeHtml(error.remedy)}</dd>
</dl>
</article>`;
}

function retryAdvice({ retryable, retryAfterSeconds }: ErrorEntry): string {
  if (!retryable) return 'Not retryable';
  return retryAfterSeconds === null ? 'Retryable' : `Retryable after ${duration(retryAfterSeconds)}`;
}

function duration(seconds: number): string {
  const units: [string, number][] = [
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ];
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const errorsStyle = `
:root {
  color-scheme: light dark;
  --page: #fbfbf9; --card: #fff; --line: #e4e4df; --text: #1c1f1e; --quiet: #5f6663;
  --accent: #0f766e; --yours: #92500a; --yours-back: #fdf1dc; --ours: #a32020; --ours-back: #fdeaea;
  --retry: #14653a; --retry-back: #e3f5ea; --plain-back: #f0f0ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131615; --card: #1a1e1d; --line: #2c3230; --text: #e6e9e7; --quiet: #9aa39f;
    --accent: #4fd1c1; --yours: #f2bd70; --yours-back: #362813; --ours: #ff9c9c; --ours-back: #3b1c1c;
    --retry: #7fdca4; --retry-back: #14301f; --plain-back: #262b29;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  display: grid; grid-template: "head head" auto "nav main" auto / 19rem minmax(0, 46rem);
  justify-content: center; gap: 1rem 3rem; margin: 0; padding: 2.5rem 2rem 0;
  background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, "Open Sans", sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
header { grid-area: head; max-width: 46rem; }
header p { margin: 0.4rem 0; }
h1 { margin: 0; font-size: 2.25rem; line-height: 1.2; letter-spacing: -0.02em; }
nav, h3, .facts :nth-child(2) { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
nav {
  grid-area: nav; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto;
  padding: 1rem 0.5rem 2rem 0; scrollbar-width: thin; font-size: 0.75rem; line-height: 1.4;
}
nav h2 { margin: 1.1rem 0 0.3rem; font: 600 0.85rem/1.4 system-ui, "Open Sans", sans-serif; }
nav h2:first-child { margin-top: 0; }
nav ul { margin: 0; padding: 0 0 0 0.75rem; border-left: 1px solid var(--line); list-style: none; }
nav li a { display: block; padding: 0.16rem 0; color: var(--quiet); overflow-wrap: anywhere; }
nav a:hover { color: var(--accent); }
main { grid-area: main; padding-bottom: 50vh; }
section > h2 { margin: 2.25rem 0 1rem; font-size: 1.4rem; letter-spacing: -0.01em; }
section:first-child > h2 { margin-top: 0.75rem; }
article {
  margin: 0 0 1rem; padding: 1.1rem 1.35rem 1.2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px;
}
article:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
h3 a { color: inherit; }
h3 a:hover::after { content: " #"; color: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.55rem 0 0.85rem; font-size: 0.8rem; }
.facts span { padding: 0.1rem 0.6rem; border-radius: 1rem; background: var(--plain-back); color: var(--quiet); }
.facts .yours { background: var(--yours-back); color: var(--yours); font-weight: 600; }
.facts .ours { background: var(--ours-back); color: var(--ours); font-weight: 600; }
.facts .retry { background: var(--retry-back); color: var(--retry); font-weight: 600; }
dl { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0.4rem 1rem; margin: 0; }
dt { color: var(--quiet); font-size: 0.875rem; line-height: 1.775; }
dd { margin: 0; }
@media (max-width: 60rem) {
  body { grid-template: "head" auto "nav" auto "main" auto / minmax(0, 46rem); padding: 1.5rem 1rem 0; }
  nav { position: static; display: flex; flex-wrap: wrap; gap: 0.35rem 1.1rem; padding: 0; }
  nav h2 { margin: 0; }
  nav ul { display: none; }
}
@media (max-width: 34rem) {
  dl { display: block; }
  dd + dt { margin-top: 0.5rem; }
}
@media print { body { display: block; } nav { display: none; } main { padding: 0; } article { break-inside: avoid; } }
`;
