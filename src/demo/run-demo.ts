import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { type DemoFields, expectedPeople, makeFields, makeTarget, makeTestTarget } from './audience-steps.ts';
import {
  campaignsIn,
  makeCampaign,
  makeConfiguration,
  makeDirectory,
  waitForSending,
} from './campaign-steps.ts';
import { compareFigures, differing } from './figures.ts';
import { findOrStartService, type Service } from './find-service.ts';
import { type ExpectedLog, importFile, putFile } from './import-steps.ts';
import { makeNameFile } from './name-file.ts';
import {
  bounce,
  click,
  forwardTo,
  listMailbox,
  open,
  type Received,
  readMessage,
  unsubscribeByOneClick,
} from './reactions.ts';
import { type DemoRow, makeSubscriberFile, type SubscriberFile } from './subscriber-file.ts';
import { type Terminal, terminal, waitFor } from './terminal.ts';

const minimumPoints = 250;
const filename = 'demo-subscribers.csv';
const ownNamesFilename = 'demo-own-names.csv';

/** How many readers do what. The first `opening` of those that are read open; the clickers are among them. */
const shares = {
  read: 600,
  opening: 400,
  byProxy: 50,
  clicking: 150,
  clickingTwice: 30,
  unsubscribing: 20,
  bouncing: 40,
};

/**
 * The main job of Facteur over its public interfaces only, as a customer's program would do it: SFTP, HTTP, SMTP.
 * @param rows subscribers in the file.
 * @returns whether every figure of the statistics agrees with what was done.
 */
export async function runDemo(config: Config, rows = 10_000): Promise<boolean> {
  const out = terminal(process.stderr);
  const service = await findOrStartService(config, (line) => out.say(line));
  try {
    return await mainJob(service, rows, out);
  } finally {
    await service.stop();
  }
}

async function mainJob(service: Service, rows: number, out: Terminal): Promise<boolean> {
  const admin = apiClient(`${service.url}/admin/v1`, service.adminToken);
  const site = apiClient(`${service.url}/v1/demo`, service.adminToken);

  const fields = await makeFields(site);
  const file = makeSubscriberFile(rows);
  const wrong = await importPeople({ service, admin, site, fields, out }, file);

  out.step(`Target the subscribed people with ${minimumPoints} points or more`);
  const idTarget = await makeTarget(site, fields, minimumPoints);
  const counted = await site.get<number>(`/targets/${idTarget}/count`);
  const targeted = expectedPeople(file, minimumPoints);
  out.say(`${counted} people (${targeted.length} in the file)`);
  out.say(await site.get<string>(`/targets/${idTarget}/description`));

  out.step('Write the campaign');
  const idConfiguration = await makeConfiguration(site);
  const idTestTarget = await makeTestTarget(site);
  const idDirectory = await makeDirectory(site);
  const made = { idConfiguration, idTarget, idTestTarget, idDirectory, fields };
  const idCampaign = await makeCampaign(site, made);
  if ((await campaignsIn(site, idDirectory))[0] !== idCampaign)
    throw new Error('The campaign is not listed in its directory');
  const checklist = await site.get<{ isCampaignReady: boolean }>(`/campaigns/${idCampaign}/checklist`);
  out.say(JSON.stringify(checklist));
  if (!checklist.isCampaignReady) throw new Error('The checklist says that the campaign is not ready');

  out.step('Send a test mailing, then the campaign');
  await site.post('/campaigns/test-mailing', idCampaign);
  const test = await waitForSending(site, idCampaign, true, out);
  out.say(`test mailing: ${test.nbAddressSent} messages`);
  const [arrived] = await listMailbox(admin, 1);
  // With a relay the next step would send thousands of messages to people who do not exist.
  if (!arrived?.rcptTo.startsWith('tester-')) {
    throw new Error(
      'This service hands its mail to a relay; the demo needs one that keeps it in the built-in mailbox',
    );
  }
  await site.post('/campaigns/send-now', idCampaign);
  const sent = await waitForSending(site, idCampaign, false, out);
  out.say(`campaign: ${sent.nbAddressSent} messages`);

  out.step('Read some of the mail, and react to it');
  wrong.push(...(await checkNames(admin, sent.nbAddressSent, targeted, out)));
  const expected = await react(service, admin, sent.nbAddressSent, out);

  out.step('The statistics, beside what was done');
  wrong.push(...(await compareStatistics(site, idCampaign, { ...expected, nbAddressToSend: counted }, out)));
  out.say(wrong.length === 0 ? 'Every figure agrees.' : `Differing: ${wrong.join(', ')}`);
  return wrong.length === 0;
}

interface ImportPlace {
  readonly service: Service;
  readonly admin: ApiClient;
  readonly site: ApiClient;
  readonly fields: DemoFields;
  readonly out: Terminal;
}

/** Imports the file, then the names in their own scripts; the names of the logs' figures that are wrong. */
async function importPeople(
  { service, admin, site, fields, out }: ImportPlace,
  file: SubscriberFile,
): Promise<string[]> {
  const names = { [fields.firstName]: 'firstname', [fields.city]: 'city' };
  const bytesOf = ({ bytes, log }: { bytes: Buffer; log: ExpectedLog }) =>
    `${bytes.length} bytes, ${log.totalRows} rows`;

  out.step(`Put ${bytesOf(file)}, code page 1252, on the site's SFTP account, and import them`);
  await putFile(service, admin, filename, file.bytes);
  const first = await importFile(
    site,
    filename,
    {
      codepage: 1252,
      keepFld7: false,
      insertEnabled: true,
      columns: { 1: 'email', 7: 'status', [fields.points]: 'points', ...names },
      fixed: { 6: 'demo' },
    },
    out,
  );
  const wrong = compareFigures(first, file.log, out);

  const own = makeNameFile(file.subscribers.values());
  out.step(`Put ${bytesOf(own)}, in UTF-8: names in their own scripts, for those who are known`);
  await putFile(service, admin, ownNamesFilename, own.bytes);
  const second = await importFile(
    site,
    ownNamesFilename,
    { codepage: 65001, keepFld7: true, insertEnabled: false, columns: { 1: 'email', ...names }, fixed: {} },
    out,
  );
  // Every name changed, from Latin letters to its own script, and no subscriber was added.
  const changes = { nbUpdates: own.log.found, nbInserts: 0 };
  return [...wrong, ...compareFigures(second, { ...own.log, ...changes }, out)];
}

/** Reads one message of each script, and looks for the recipient's name; returns the wrong ones. */
async function checkNames(
  admin: ApiClient,
  sent: number,
  targeted: readonly DemoRow[],
  out: Terminal,
): Promise<string[]> {
  const people = new Map(targeted.map((row) => [row.email, row]));
  const read = new Map<string, boolean>();
  for (const listed of await listMailbox(admin, sent)) {
    const own = people.get(listed.rcptTo)?.own;
    if (!own || read.has(own.script.name)) continue;
    const { subject, html, text } = await readMessage(admin, listed);
    const isRight =
      subject.startsWith(`${own.firstName}, your `) &&
      html.includes(`<h1>Bonjour ${own.firstName}</h1>`) &&
      html.includes(`in our shop of ${own.city}.`) &&
      text.startsWith(`Read in the browser: `) &&
      text.includes(`Bonjour ${own.firstName},`);
    out.say(`${own.script.name.padEnd(10)} To: ${listed.rcptTo}   Subject: ${subject}`);
    read.set(own.script.name, isRight);
  }
  const expected = new Set(targeted.flatMap(({ own }) => (own ? [own.script.name] : [])));
  const right = [...read.values()].filter(Boolean).length;
  return compareFigures({ scriptsReadRight: right }, { scriptsReadRight: expected.size }, out);
}

/** A reader forwards their message to a friend, who follows a link in what they get. */
async function forwardAndClick(
  service: Service,
  admin: ApiClient,
  message: Received,
  out: Terminal,
): Promise<void> {
  // A friend of this run only: an address gets a limited number of forwards.
  const friend = `friend-${Date.now()}@friends.example`;
  await forwardTo(service.url, message, friend);
  const listed = await waitFor('the forwarded message', async () =>
    (await listMailbox(admin, 10)).find((one) => one.rcptTo === friend),
  );
  const received = await readMessage(admin, listed);
  await click(service.url, received.links[0]!);
  out.say(`To: ${received.to}   Subject: ${received.subject}`);
}

/** A fixed share of the readers opens, clicks, unsubscribes and bounces; what that should count as. */
async function react(service: Service, admin: ApiClient, sent: number, out: Terminal): Promise<Expected> {
  const listed = (await listMailbox(admin, sent)).slice(0, shares.read + shares.bouncing);
  const messages: Received[] = [];
  for (const one of listed) messages.push(await readMessage(admin, one));
  const [first] = messages;
  if (!first) throw new Error('The mailbox is empty');
  out.say(`To: ${first.to}   Subject: ${first.subject}`);

  const gone = messages.slice(-Math.min(shares.bouncing, Math.floor(messages.length / 2)));
  const readers = messages.slice(0, messages.length - gone.length);
  const opening = readers.slice(0, shares.opening);
  const byProxy = readers.slice(shares.opening, shares.opening + shares.byProxy);
  const clicking = opening.slice(0, shares.clicking);
  const clickingTwice = clicking.slice(0, shares.clickingTwice);
  const unsubscribing = clicking.slice(-shares.unsubscribing);

  for (const message of opening) await open(service.url, message);
  for (const message of byProxy) await open(service.url, message, 'proxy');
  for (const message of clicking) await click(service.url, message.links[0]!);
  for (const message of clickingTwice) await click(service.url, message.links[1]!);
  for (const message of unsubscribing) await unsubscribeByOneClick(service.url, message);
  await bounce(service.smtpPort, gone);
  const isForwarded = clicking[0] !== undefined;
  if (isForwarded) await forwardAndClick(service, admin, clicking[0]!, out);
  out.say(
    `${opening.length} opened, ${byProxy.length} more through a privacy proxy, ${clicking.length} clicked, ` +
      `${unsubscribing.length} unsubscribed, ${gone.length} bounced`,
  );
  return {
    nbAddressToSend: sent,
    nbAddressSent: sent,
    nbOpeners: opening.length + byProxy.length,
    nbHumanOpeners: opening.length,
    nbOpenings: opening.length + byProxy.length,
    nbClickers: clicking.length,
    // The friend's click is one of the campaign's; the clicker is the reader who forwarded the message.
    nbClicks: clicking.length + clickingTwice.length + Number(isForwarded),
    nbViralClicks: Number(isForwarded),
    nbGodsons: Number(isForwarded),
    nbUnsubs: unsubscribing.length,
    nbHardBounces: gone.length,
  };
}

/** Acts of the demo, in the names of the campaign statistics. */
interface Expected {
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
  readonly nbOpeners: number;
  readonly nbHumanOpeners: number;
  readonly nbOpenings: number;
  readonly nbClickers: number;
  readonly nbClicks: number;
  readonly nbViralClicks: number;
  readonly nbGodsons: number;
  readonly nbUnsubs: number;
  readonly nbHardBounces: number;
}

/** Maximum time until the service has counted all events; the comparison polls until then. */
const countedWithinMs = 10_000;
const pollMs = 100;

/** Prints each figure beside what was done, once all agree or time is up; the names of those that differ. */
async function compareStatistics(
  site: ApiClient,
  idCampaign: number,
  expected: Expected,
  out: Terminal,
): Promise<string[]> {
  const read = () => site.get<Expected>('/statistics/campaign', { idCampaign });
  let counted = await read();
  for (let left = countedWithinMs; left > 0 && differing(counted, expected).length > 0; left -= pollMs) {
    await setTimeout(pollMs);
    counted = await read();
  }
  return compareFigures(counted, expected, out);
}
