import type { Config } from '../config.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import {
  expectedCount,
  importFile,
  makeFields,
  makeTarget,
  makeTestTarget,
  putFile,
} from './audience-steps.ts';
import { makeCampaign, makeConfiguration, waitForSending } from './campaign-steps.ts';
import { findOrStartService, type Service } from './find-service.ts';
import {
  bounce,
  click,
  listMailbox,
  open,
  type Received,
  readMessage,
  unsubscribeByOneClick,
} from './reactions.ts';
import { compareStatistics, type Expected } from './statistics-steps.ts';
import { makeSubscriberFile } from './subscriber-file.ts';
import { type Terminal, terminal } from './terminal.ts';

const minimumPoints = 250;
const filename = 'demo-subscribers.csv';

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

  out.step(`Put a file of ${rows} subscribers on the site's SFTP account`);
  const file = makeSubscriberFile(rows);
  await putFile(service, admin, filename, file.bytes);
  out.say(
    `${file.bytes.length} bytes, code page 1252, ${file.badRows} bad rows, ${file.doubleRows} addresses twice`,
  );

  out.step('Make the custom fields and import the file');
  const fields = await makeFields(site);
  const log = await importFile(site, filename, fields, out);
  const { badFormattedRowNumbers, ...counts } = log;
  out.say(JSON.stringify(counts));

  out.step(`Target the subscribed people with ${minimumPoints} points or more`);
  const idTarget = await makeTarget(site, fields, minimumPoints);
  const counted = await site.get<number>(`/targets/${idTarget}/count`);
  out.say(`${counted} people (${expectedCount(file, minimumPoints)} in the file)`);
  out.say(await site.get<string>(`/targets/${idTarget}/description`));

  out.step('Write the campaign');
  const idConfiguration = await makeConfiguration(site);
  const idTestTarget = await makeTestTarget(site);
  const idCampaign = await makeCampaign(site, { idConfiguration, idTarget, idTestTarget, fields });
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
  const expected = await react(service, admin, sent.nbAddressSent, out);

  out.step('The statistics, beside what was done');
  const differing = await compareStatistics(site, idCampaign, { ...expected, nbAddressToSend: counted }, out);
  out.say(differing.length === 0 ? 'Every figure agrees.' : `Differing: ${differing.join(', ')}`);
  return differing.length === 0;
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
    nbClicks: clicking.length + clickingTwice.length,
    nbUnsubs: unsubscribing.length,
    nbHardBounces: gone.length,
  };
}
