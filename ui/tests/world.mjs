// What the browser tests share: the real program on a data directory of its own, the system's Chromium, and the checks
// that every page must pass.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const BIN = process.env.GANNET_BIN ?? 'gannet';
const CHROMIUM = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Where pictures of the pages are kept; without it none are taken. */
export const SHOTS = process.env.GANNET_SHOTS ?? null;

/** A built UI to serve instead of the one in the program. */
const UI = process.env.GANNET_UI ? ['--ui', process.env.GANNET_UI] : [];

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts `gannet serve` and Chromium; both end with the test. `allow`: loopback addresses that may be crawled. */
export async function start(t, { allow = [], args = [] } = {}) {
  const data = mkdtempSync(join(tmpdir(), 'gannet-ui-'));
  const world = new World(data, await freePort(), allow, args);
  t.after(() => world.stop());
  await world.serve();
  return world;
}

class World {
  constructor(data, port, allow, args) {
    Object.assign(this, { data, port, allow, args, base: `http://127.0.0.1:${port}`, server: null, browser: null, context: null, output: '' });
  }

  /** Starts the server; resolves when it has printed its sign-in link. */
  async serve() {
    const args = ['serve', '--data', this.data, '--bind', `127.0.0.1:${this.port}`, ...this.allow.flatMap((one) => ['--allow-addresses', one]), ...UI, ...this.args];
    const child = spawn(BIN, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.server = child;
    this.output = '';
    const link = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no sign-in link within 30 s:\n${this.output}`)), 30_000);
      const hear = (bytes) => {
        this.output += bytes;
        const found = /http:\/\/\S+\/signin\?key=[\w.~-]+/.exec(this.output);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[0]);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`gannet serve ended with ${code}:\n${this.output}`)));
    });
    this.link = link;
    return link;
  }

  async chromium() {
    assert.ok(CHROMIUM, 'no Chromium: install it, or set CHROMIUM');
    this.browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
    return this.browser;
  }

  /** A signed-in browser of its own. The link works once, so the first context's cookie is passed on. */
  async newContext(options = {}) {
    const browser = await this.chromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(20_000);
    if (this.cookies) await context.addCookies(this.cookies);
    else {
      const page = await context.newPage();
      await page.goto(this.link);
      await page.waitForURL(`${this.base}/`);
      this.cookies = await context.cookies();
      await page.close();
    }
    return context;
  }

  /** A signed-in page whose console errors are gathered in `page.errors`. */
  async page(options = {}) {
    const context = options.context ?? (await this.newContext(options));
    const page = await context.newPage();
    page.errors = [];
    page.on('pageerror', (error) => page.errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && page.errors.push(`${message.text()} (${message.location().url})`));
    return page;
  }

  /** Asks the API as the signed-in page does. */
  async api(page, method, path, body) {
    return page.evaluate(
      async ([method, path, body]) => {
        const session = await (await fetch('/api/v1/session')).json();
        const answer = await fetch(`/api/v1${path}`, {
          method,
          headers: { 'x-gannet-csrf': session.csrf, ...(body === null ? {} : { 'content-type': 'application/json' }) },
          body: body === null ? undefined : JSON.stringify(body),
        });
        const text = await answer.text();
        let data = text;
        try {
          data = JSON.parse(text);
        } catch {
          // A file, not JSON.
        }
        return { status: answer.status, data, etag: answer.headers.get('etag') };
      },
      [method, path, body ?? null],
    );
  }

  async demo(page) {
    return (await this.api(page, 'GET', '/session')).data.demo;
  }

  /** Runs a verb of the program on the same data directory, through the server that owns it. */
  cli(...args) {
    return gannet(...args, '--data', this.data);
  }

  async kill9() {
    await ended(this.server, 'SIGKILL');
  }

  /** Starts again on the same port and data. The old cookie still holds. */
  async restart() {
    await this.serve();
  }

  async stop() {
    await this.browser?.close().catch(() => {});
    if (this.server) await ended(this.server, 'SIGTERM');
    rmSync(this.data, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(timer);
}

/** Runs the program to its end; resolves to what it printed. Not in between, or our own sites could not answer. */
export function gannet(...args) {
  return new Promise((resolve, reject) => {
    execFile(BIN, args, { timeout: 60_000, maxBuffer: 64 << 20 }, (error, printed, said) => {
      if (error) reject(new Error(`gannet ${args.join(' ')}: ${error.message}\n${said}`));
      else resolve(printed);
    });
  });
}

/** Serves pages from a map of path to HTML (or a function of the request); resolves to its address. */
export async function site(t, pages, { delay = 0, host = '127.0.0.1' } = {}) {
  const server = createServer((asked, response) => {
    const path = new URL(asked.url, 'http://x').pathname;
    const found = typeof pages === 'function' ? pages(path, asked) : pages[path];
    setTimeout(() => {
      if (found === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(found);
    }, delay);
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address();
  return { address: `${host}:${port}`, url: `http://${host}:${port}` };
}

/** A slow line to another loopback server: each answer takes `delay` ms more, and as long as `rate` bytes a second. */
export async function slowed(t, target, { delay = 150, rate = 200_000 } = {}) {
  const to = new URL(target);
  const server = createServer((asked, response) => {
    // Under the name it was asked by, so that its links lead back here.
    const passed = request({ host: to.hostname, port: to.port, path: asked.url, method: asked.method, headers: { ...asked.headers, 'accept-encoding': 'identity' } }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      await new Promise((resolve) => setTimeout(resolve, delay + (body.length / rate) * 1000));
      response.writeHead(answer.statusCode, answer.headers).end(body);
    });
    passed.on('error', () => response.destroy());
    asked.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address();
  return { address: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

/** Whether something listens. */
export async function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** Fails on serious violations of accessibility. What is inside a crawled page is not ours. */
export async function axe(page, name) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => window.axe.run({ exclude: [['iframe']] }, { resultTypes: ['violations'], iframes: false }));
  const bad = found.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical');
  assert.deepEqual(
    bad.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 4).join(', ')} (${one.nodes[0]?.any[0]?.message ?? one.help})`),
    [],
    `${name}: axe`,
  );
}

/** Nothing of the page reaches past the window's side. */
export async function fits(page, name) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width + 1) return [];
    return [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > width + 1).slice(0, 3).map((one) => `${one.tagName.toLowerCase()}.${one.className}`);
  });
  assert.deepEqual(wide, [], `${name}: wider than the window`);
}

/** Keeps a picture, when pictures are wanted. */
export async function shot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Waits until `ask` gives something true; says what it waited for. */
export async function until(what, ask, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(Date.now() < end, `${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
