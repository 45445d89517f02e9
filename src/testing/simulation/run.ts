import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Started } from '../../announce.ts';
import { type ApiClient, apiClient } from '../../demo/api-client.ts';
import { importFile, putFile } from '../../demo/import-steps.ts';
import { terminal } from '../../demo/terminal.ts';
import { FacteurProcess } from '../child-process.ts';
import { makeFields, type SentCampaign, sendCampaign } from './campaigns.ts';
import { type Compared, differences, type Sending } from './compare.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { planReaders, type Reader } from './plan.ts';
import { isFriend, type Played, playReaders } from './readers.ts';

/** How many providers the readers are with, and how many domains are with none. */
const nbProviders = 12;
const otherDomain = 'other.example';
/** How long the service may take to count what was done, in seconds. */
const countedWithinS = 120;

export interface Simulation {
  /** Messages that the relay took. */
  readonly messages: number;
  /** Every figure that differs, in words. */
  readonly differences: readonly string[];
  /** Figures that were compared. */
  readonly figures: number;
}

/**
 * A seeded history over the public interfaces of the whole program. Subscribers come over SFTP, and two campaigns leave
 * by SMTP. Readers, machines and friends act over HTTP, and reports come back by SMTP. Then every figure of the
 * statistics is compared with the test's own tally.
 * @param size subscribers
 */
export async function simulate(size: number, say: (line: string) => void): Promise<Simulation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-simulation-'));
  const readers = new Map<string, Reader>();
  const inbox = await openInbox(
    (email) =>
      readers.get(email)?.second === undefined
        ? (readers.get(email)?.first.answer ?? 'accepted')
        : 'accepted',
    (email) => isFriend(email) || isActing(readers.get(email)),
  );
  const program = new FacteurProcess(['serve'], {
    FACTEUR_DATA_DIR: dataDir,
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${inbox.port}`,
    FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8',
    FACTEUR_PORT: '0',
    FACTEUR_SFTP_PORT: '0',
    FACTEUR_SMTP_PORT: '0',
    FACTEUR_IMPORT_DELAY_S: '1',
    FACTEUR_SEND_DELAY_S: '1',
    FACTEUR_REQUESTS_PER_MINUTE: '1000000',
    FACTEUR_TRUSTED_PROXIES: '127.0.0.0/8',
  });
  try {
    const started = await program.started();
    return await play({ started, dataDir, readers, inbox, size, say });
  } finally {
    await program.end('SIGTERM');
    await inbox.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const isActing = (reader: Reader | undefined): boolean =>
  [reader?.first, reader?.second].some((story) => story && (story.acts.length > 0 || story.report));

interface Stage {
  readonly started: Started;
  readonly dataDir: string;
  readonly readers: Map<string, Reader>;
  readonly inbox: Inbox;
  readonly size: number;
  readonly say: (line: string) => void;
}

async function play({ started, dataDir, readers, inbox, size, say }: Stage): Promise<Simulation> {
  const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const url = started.url!;
  const admin = apiClient(`${url}/admin/v1`, adminToken);
  const site = apiClient(`${url}/v1/demo`, adminToken);
  const service = { url, sftpPort: started.sftpPort!, smtpPort: started.smtpPort!, adminToken };

  const providers = await chooseProviders(admin);
  for (const reader of planReaders(size, [...providers.map(({ domain }) => domain), otherDomain]))
    readers.set(reader.email, reader);
  const fields = await makeFields(site);
  const rows = [...readers.values()].map(({ email, group, second }) => `${email};${group};${second ? 1 : 0}`);
  const file = Buffer.from(['email;group;second', ...rows, ''].join('\r\n'));
  await putFile({ ...service, stop: async () => undefined }, admin, 'readers.csv', file);
  const settings = { codepage: 65001, keepFld7: false, insertEnabled: true, fixed: { 6: 'simulation' } };
  const columns = { 1: 'email', [fields.group]: 'group', [fields.second]: 'second' };
  const log = await importFile(site, 'readers.csv', { ...settings, columns }, terminal(process.stderr));
  if (log.nbInserts !== size) throw new Error(`${log.nbInserts} of ${size} subscribers were imported`);
  say(`${size} subscribers imported`);

  const second = await sendCampaign(site, 'Second', fields.second, [1]);
  const first = await sendCampaign(site, 'First', fields.group, [1, 2]);
  say(`${inbox.taken.count} messages taken`);
  const played = playedOf([...readers.values()], inbox);
  await playReaders(service, inbox, played);
  say(`${played.length} messages played with`);

  const compared: Compared = {
    campaigns: [first, second],
    sendings: sendingsOf(readers, first, second),
    providers,
  };
  const messages = inbox.taken.count;
  const result = await settled(site, compared);
  say(`${result.figures} figures compared, ${result.differences.length} differ`);
  return { messages, ...result };
}

async function chooseProviders(admin: ApiClient) {
  const all = await admin.get<{ id: number; name: string; domains: string[] }[]>('/providers');
  return all.slice(0, nbProviders).map(({ id, name, domains }) => ({ id, name, domain: domains[0]! }));
}

/** Each letter beside its story; the letter of the second campaign came before that of the first. */
function playedOf(readers: readonly Reader[], inbox: Inbox): Played[] {
  return readers.filter(isActing).flatMap(({ email, first, second }) => {
    const letters = [...(inbox.letters.get(email) ?? [])];
    const told = [...(second ? [second] : []), first].filter(({ answer }) => answer === 'accepted');
    if (letters.length !== told.length)
      throw new Error(`${email} got ${letters.length} messages of ${told.length}`);
    return told.map((story, at) => ({ email, letter: letters[at]!, story }));
  });
}

function sendingsOf(
  readers: ReadonlyMap<string, Reader>,
  first: SentCampaign,
  second: SentCampaign,
): Sending[] {
  const all = [...readers.values()];
  const ofGroup = (group: number) =>
    all.filter((reader) => reader.group === group).map(({ domain, first: story }) => ({ domain, story }));
  const others = all.flatMap(({ domain, second: story }) => (story ? [{ domain, story }] : []));
  return [
    { campaign: first, idSent: first.idsSent[0]!, messages: ofGroup(1) },
    { campaign: first, idSent: first.idsSent[1]!, messages: ofGroup(2) },
    { campaign: second, idSent: second.idsSent[0]!, messages: others },
  ];
}

/** Compares until nothing differs, or time is up. */
async function settled(
  site: ApiClient,
  compared: Compared,
): Promise<{ differences: string[]; figures: number }> {
  const until = Date.now() + countedWithinS * 1_000;
  for (;;) {
    const result = await differences(site, compared);
    if (result.differences.length === 0 || Date.now() > until) return result;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
