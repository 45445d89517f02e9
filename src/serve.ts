import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { AuditWriter } from './accounts/audit-writer.ts';
import { callerFinder } from './accounts/caller-store.ts';
import { findSession } from './accounts/session-store.ts';
import { siteOfLogin } from './accounts/sftp-account-store.ts';
import type { Started } from './announce.ts';
import { operations } from './api.ts';
import { startSmtpListener } from './bounces/smtp-listener.ts';
import { webhookHandler } from './bounces/webhook-handler.ts';
import type { Config } from './config.ts';
import { startSftpServer } from './files/sftp-server.ts';
import { adminPasswordFile, adminTokenFile, makeFirstThings } from './first-start.ts';
import { markSending } from './installation/check-installation.ts';
import { closeHttp, listenHttp, takePort, tryPorts, type WantedPort } from './listen.ts';
import { pictureHandler } from './pictures/picture-handler.ts';
import { type App, appWith } from './platform/app.ts';
import { AdminPort, type ListenAddress } from './platform/http/admin-port.ts';
import { addConsole } from './platform/http/console-files.ts';
import { addCors } from './platform/http/cors.ts';
import { addHealth } from './platform/http/health.ts';
import { addMetrics } from './platform/http/metrics.ts';
import { addReference } from './platform/http/reference.ts';
import { makeServer, type RawHandler } from './platform/http/server.ts';
import { guardSessions, guardTokens } from './platform/http/token-guard.ts';
import { type OpenedApp, openApp } from './platform/open-app.ts';
import { processesOn } from './platform/postgres/embedded.ts';
import { argumentsOfProcess } from './platform/process-lock.ts';
import { refusalLog } from './platform/refusal-log.ts';
import { startTaskRunner } from './platform/task-runner.ts';
import { within } from './platform/within.ts';
import { pauseHeldJobs } from './sending/control-jobs.ts';
import { SendingEngine } from './sending/engine/engine.ts';
import { addSendingGauges, sendingHealth } from './sending/sending-health.ts';
import { addServiceMetrics } from './service-metrics.ts';
import { startWarnings } from './start-warnings.ts';
import { reportHandler } from './statistics/report-handler.ts';
import { trackingHandler } from './tracking/tracking-handler.ts';
import { tasks } from './worker.ts';

/** Wrong tokens that one address may try in a minute. */
const wrongTokensPerMinute = 30;
/** How long requests that run may take when the program ends. */
const patienceMs = 10_000;
/** Limit of a graceful end: a minute for relays' replies (`standardGraceMs`), 18 s for the database, and requests. */
export const stopPatienceMs = 90_000;

/** How often counts are added to the totals, in milliseconds: so much of them a kill loses. */
const countsEveryMs = 5_000;

/** How long the audit log may take to be written at the end, in milliseconds. */
const auditPatienceMs = 5_000;

/** Open resources; closed in reverse order. */
class Closing {
  readonly #closers: (() => Promise<void>)[] = [];
  isStopping = false;

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async all(log: Logger): Promise<void> {
    this.isStopping = true;
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      // A part that ends badly must not keep the others, the database last of all, from ending well.
      await close().catch((error) => log.error({ err: error }, 'a part did not end cleanly'));
    }
  }
}

/**
 * Starts the parts that this process's roles name: `api` the operations and the SFTP server, `tracking` tracked
 * addresses and the SMTP listener, `worker` jobs and the sending engine.
 * @throws Error in one sentence; everything that was open is closed again.
 */
export async function serve(config: Config, log: Logger) {
  const closing = new Closing();
  try {
    await tryPorts(wantedPorts(config), () => servicesAmong(processesOn(config.dataDir)));
    const opened = await openApp(config, log);
    closing.add(() => opened.close());
    startCounts(opened.app, closing);
    opened.postgres?.keepRunning();
    const { app } = opened;
    const { adminToken, firstUser } = await makeFirstThings(app);
    await pauseHeldJobs(app);
    const { roles } = config;
    const registry = new Registry();

    let ports: HttpPorts = { port: null, adminPort: null };
    const sftpPort = roles.has('api') ? await startSftp(opened, closing) : null;
    if (roles.has('api') || roles.has('tracking')) {
      ports = await startHttp(opened, { sftpPort, registry }, closing);
      if (ports.port !== null) opened.listensOn(ports.port);
    }
    const smtpPort = roles.has('tracking') ? await startSmtp(opened, closing, registry) : null;
    if (roles.has('worker')) await startWork(app, closing, smtpPort ?? config.smtpPort);

    const warnings = await startWarnings(app);
    for (const warning of warnings) log.warn(warning);
    const { port, adminPort } = ports;
    const url = port && httpUrl(config.host, port);
    const started: Started = {
      event: 'started',
      version: versionOfFacteur(),
      node: process.versions.node,
      postgres: opened.serverVersion,
      pid: process.pid,
      roles: [...roles],
      dataDir: config.dataDir,
      port,
      sftpPort,
      smtpPort,
      publicUrl: app.publicUrl,
      url: url || null,
      ...(adminPort !== null && { adminUrl: httpUrl(config.adminListen?.host, adminPort) }),
      docsUrl: url && roles.has('api') ? `${url}/docs` : null,
      ...(warnings.length > 0 && { warnings }),
      ...(adminToken && { adminToken, adminTokenFile: join(config.dataDir, adminTokenFile) }),
      ...(firstUser && {
        adminEmail: firstUser.email,
        adminPassword: firstUser.password,
        adminPasswordFile: join(config.dataDir, adminPasswordFile),
      }),
    };
    // Ends every part in the reverse order of its start; what runs comes to an end or back into its queue.
    return { started, stop: () => closing.all(log) };
  } catch (error) {
    await closing.all(log);
    throw error;
  }
}

/** Process ids of other services on this data directory that the embedded server knows. */
function otherServices({ postgres }: OpenedApp): readonly number[] {
  return servicesAmong(postgres?.others() ?? []);
}

function servicesAmong(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => argumentsOfProcess(pid).includes('serve'));
}

/** Where this machine reaches a port, whose address may be all of the machine's. */
function httpUrl(host = 'localhost', port: number): string {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function wantedPorts({ roles, host, port, adminListen, sftpPort, smtpPort }: Config): WantedPort[] {
  const http = [
    { setting: 'FACTEUR_PORT', port, host },
    ...(adminListen ? [{ setting: 'FACTEUR_ADMIN_LISTEN', ...adminListen }] : []),
  ];
  return [
    ...(roles.has('api') || roles.has('tracking') ? http : []),
    ...(roles.has('api') ? [{ setting: 'FACTEUR_SFTP_PORT', port: sftpPort }] : []),
    ...(roles.has('tracking') ? [{ setting: 'FACTEUR_SMTP_PORT', port: smtpPort }] : []),
  ];
}

async function startHttp(
  opened: OpenedApp,
  { sftpPort, registry }: { readonly sftpPort: number | null; readonly registry: Registry },
  closing: Closing,
): Promise<HttpPorts> {
  const { app, forRequests } = opened;
  const { config } = app;
  const isApi = config.roles.has('api');
  const tracking = config.roles.has('tracking') ? trackingHandler(app) : undefined;
  // Added before the HTTP server, so it ends after it: what was answered is durable then.
  if (tracking) closing.add(() => tracking.close());
  const findCaller = callerFinder(forRequests.control);
  const limits = {
    requestsPerMinute: config.requestsPerMinute,
    wrongTokensPerMinute,
    trustedProxies: config.trustedProxies,
    note: refusalLog(app.log.child({ part: 'http' })),
  };
  const audit = new AuditWriter(forRequests.control, app.log);
  closing.add(() => within('The database', auditPatienceMs, audit.idle()));
  const server = makeServer({
    app: sftpPort === null ? forRequests : withPort(forRequests, { sftpPort }),
    operations: isApi ? operations : [],
    recordAudit: (entry) => audit.add(entry),
    findCaller: guardTokens((token, siteName) => findCaller(token, siteName, app.clock.now()), limits),
    findSession: guardSessions(
      (text, siteName, _request, isCheck) =>
        findSession(forRequests.control, text, siteName, app.clock.now(), isCheck),
      limits,
    ),
    ...(tracking && {
      raw: forReaders(tracking, pictureHandler(app), webhookHandler(app, { registry }), reportHandler(app)),
    }),
  });
  closing.add(() => closeHttp(server, patienceMs));
  addHealth(server, {
    control: app.control,
    isStopping: () => closing.isStopping,
    parts: [() => sendingHealth(app.control), ...(tracking ? [() => tracking.health()] : [])],
  });
  addServiceMetrics(addMetrics(server, app.control, registry), app);
  addSendingGauges(registry, app.control);
  tracking?.addMetrics(registry);
  if (isApi) {
    addCors(server, config.corsOrigins);
    await addReference(server, JSON.parse(besideSources('openapi.json')));
    await addConsole(server, fileURLToPath(new URL('../web/dist', import.meta.url)));
  }
  const admin = config.adminListen && new AdminPort(server);
  if (admin) closing.add(() => admin.close(patienceMs));
  const open = () => listenHttp(server, config.port, config.host);
  const others = () => otherServices(opened);
  const port = await takePort('FACTEUR_PORT', config.port, open, others);
  return { port, adminPort: admin ? await openAdmin(admin, config.adminListen!, others) : null };
}

/** The HTTP ports; null means none. */
interface HttpPorts {
  readonly port: number | null;
  readonly adminPort: number | null;
}

const openAdmin = (admin: AdminPort, address: ListenAddress, others: () => readonly number[]) =>
  takePort('FACTEUR_ADMIN_LISTEN', address.port, () => admin.listen(address), others);

/** Adds what this process counted to the totals, every few seconds and at the end. */
function startCounts({ counts, control, log }: App, closing: Closing): void {
  const flush = () => counts?.flush(control).catch((err) => log.warn({ err }, 'counts not added; retrying'));
  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => {
    flushing ??= flush()?.finally(() => {
      flushing = undefined;
    });
  }, countsEveryMs);
  closing.add(async () => {
    clearInterval(timer);
    await flushing;
    await within('The database', countsEveryMs, flush() ?? Promise.resolve());
  });
}

/** The app with a port that was taken, which is another than the configured one when that is 0. */
const withPort = (app: App, port: Partial<Pick<Config, 'sftpPort' | 'smtpPort'>>): App =>
  appWith(app, { config: { ...app.config, ...port } });

/** Serves readers of mail: the first handler that accepts a request answers it. */
function forReaders(...handlers: readonly RawHandler[]): RawHandler {
  return (request, response) => handlers.some((handle) => handle(request, response));
}

async function startSftp(opened: OpenedApp, closing: Closing): Promise<number> {
  const { app } = opened;
  const { sftpPort, dataDir } = app.config;
  const open = () =>
    startSftpServer({
      port: sftpPort,
      dataDir,
      log: app.log.child({ part: 'sftp' }),
      authenticate: (login, proof) => siteOfLogin(app.control, app.secrets, login, proof),
      quotaBytes: app.config.sftpQuotaBytes,
    });
  const server = await takePort('FACTEUR_SFTP_PORT', sftpPort, open, () => otherServices(opened));
  closing.add(() => server.close());
  return server.port;
}

async function startSmtp(opened: OpenedApp, closing: Closing, registry: Registry): Promise<number> {
  const { app } = opened;
  const { smtpPort } = app.config;
  const open = () => startSmtpListener(app, smtpPort, registry);
  const listener = await takePort('FACTEUR_SMTP_PORT', smtpPort, open, () => otherServices(opened));
  closing.add(() => listener.close());
  return listener.port;
}

async function startWork(app: App, closing: Closing, mailboxPort: number): Promise<void> {
  const mayGoOn = async () => {
    const isFree = await markSending(app);
    if (!isFree) await pauseHeldJobs(app);
    return isFree;
  };
  const engine = new SendingEngine(app, { mailboxPort, mayGoOn });
  engine.start();
  const parts: { stop(): Promise<void> }[] = [engine];
  // At the same time: a task that takes long to end must not use up the time in which relays may reply.
  closing.add(async () => {
    const ends = await Promise.allSettled(parts.map((part) => part.stop()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
  // Notices go to the mailbox.
  parts.push(await startTaskRunner(withPort(app, { smtpPort: mailboxPort }), tasks));
}

/** The version in package.json. */
export function versionOfFacteur(): string {
  return (JSON.parse(besideSources('package.json')) as { version: string }).version;
}

/** Path of a file in the parent folder of `src` and `dist`. */
function besideSources(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
}
