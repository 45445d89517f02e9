import { readdirSync, readFileSync } from 'node:fs';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Checklist } from '../campaigns/checklist.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeConfiguration, makeSegment, makeSubscribers, makeTarget } from '../testing/campaign-makers.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { jobsOf } from '../testing/sending-campaign.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import type { SmtpSink } from '../testing/smtp-sink.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';
import { until } from '../testing/until.ts';
import { generateJob } from './tasks/generate-job.ts';

// Newsletters as editors, mail programs and people make them, through the operations, the engine and a mail server;
// parse5 says which links a browser shows.
const folder = new URL('../testing/newsletters/', import.meta.url);
const namesIn = (of: URL) => readdirSync(of).flatMap((file) => /^(.*)\.html$/.exec(file)?.[1] ?? []);
const sourceOf = (of: URL, name: string) => readFileSync(new URL(`${name}.html`, of), 'utf8');

const header = '<div id="frame-header">Header</div>';
const footer = '<p id="frame-footer"><a href="[[LINK.UNSUB]]">Unsubscribe</a></p>';
const email = '1@example.org';
const own = 'https://own.example/a?b=1';
const host = 'host.example/path';

let t: TestApp;
let sink: SmtpSink;
let sending: SendingTester;
let server: TrackingServer;
let idConfiguration: number;
let idTarget: number;

beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
  await makeSubscribers(t.db, [1]);
  await t.db.run(sql`update ${t.db.t.subscriber} set fld101 = ${own}, fld5 = ${host}`);
  sending = new SendingTester(t);
  sink = await sending.relay({ keepRaw: true });
  sending.engine();
  server = await trackingServer(t.app);
  idConfiguration = await makeConfiguration(t.db, footer);
  await t.db.run(
    sql`update ${t.db.t.sending_configuration} set header_html = ${header} where id = ${idConfiguration}`,
  );
  idTarget = await makeTarget(t.db);
});
afterAll(async () => {
  await sending.end();
  await server.close();
  await t.close();
});

async function campaignOf(htmlContent: string): Promise<number> {
  const body = { parameters: { name: 'Spring', subject: 'Hello', idConfiguration }, htmlContent };
  const made = await t.call('POST', '/campaigns', { body, query: { trackAllLinks: true } });
  expect([made.status, made.error]).toEqual([200, null]);
  const { id } = made.data as unknown as { id: number };
  await makeSegment(t.db, id, { idTarget });
  return id;
}

/** The HTML of the message that the subscriber receives, with LF at its line ends, without the part's own. */
async function received(htmlContent: string): Promise<string> {
  const id = await campaignOf(htmlContent);
  sink.messages.splice(0);
  const sent = await t.call('POST', '/campaigns/send-now', { body: id });
  expect([sent.status, sent.error]).toEqual([200, null]);
  const idJob = (await jobsOf(t.db, id)).at(-1)!.id;
  await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
  await until(() => sink.messages.length === 1, 'the message is received');
  await until(async () => (await jobsOf(t.db, id)).at(-1)!.state === 'Finished', 'the job is finished');
  return withLf((await PostalMime.parse(sink.messages[0]!.raw!)).html!).replace(/\n$/, '');
}

const withLf = (text: string) => text.replace(/\r\n?/g, '\n');

const address = String.raw`https?://[^/\s"'<>]+/[a-z]/[\w-]{20,}`;
const pixel = new RegExp(
  `<img src="${address}" width="1" height="1" alt="" style="display:block;border:0">`,
  'g',
);
const footerSent = new RegExp(`<p id="frame-footer"><a href="${address}">Unsubscribe</a></p>`, 'g');

/** The message without what is put into every message, each of which it has once. */
function withoutFrame(message: string): string {
  for (const part of [pixel, footerSent, new RegExp(header, 'g')])
    expect(message.match(part)).toHaveLength(1);
  expect(message.search(/<!doctype/i)).toBeLessThan(message.indexOf(header));
  return message.replace(pixel, '').replace(footerSent, '').replace(header, '');
}

/** The source with its conditions decided; both fields that they test have a value. */
const decided = (source: string) =>
  source.replace(/\[\[IF FLD\.\d+ HasValue\]\](.*?)\[\[ELSE\]\].*?\[\[END\]\]/gs, '$1');

/** Each address that a message has instead of one of its source, with that one as written. */
function replacedAddresses(
  source: string,
  message: string,
): { readonly written: string; readonly sent: string }[] {
  const sent = message.match(new RegExp(address, 'g')) ?? [];
  const chunks = message.split(new RegExp(address));
  const replaced: { written: string; sent: string }[] = [];
  let position = 0;
  for (const [index, chunk] of chunks.entries()) {
    const at = index === chunks.length - 1 ? source.length - chunk.length : source.indexOf(chunk, position);
    // Nothing of the source is missing, and nothing is where it did not.
    expect([index, source.slice(at, at + chunk.length)]).toEqual([index, chunk]);
    const written = source.slice(position, at);
    position = at + chunk.length;
    if (index === 0) expect(written).toBe('');
    else replaced.push({ written, sent: sent[index - 1]! });
  }
  return replaced;
}

const kinds: Readonly<Record<string, string>> = { UNSUB: 'u', MIRROR: 'm', FORWARD: 'f' };

/** Where a browser goes from an address as it is written in the source. */
function target(written: string): string {
  const quote = written.includes('"') ? "'" : '"';
  const [link] = parseFragment(`<a href=${quote}${written}${quote}>`).childNodes as [
    DefaultTreeAdapterTypes.Element,
  ];
  const filled = link.attrs[0]!.value.trim()
    .replace(/[\t\n\r]/g, '')
    .replace(/^(?:https?:\/\/)?\[\[FLD\.101\]\]/, own)
    .replace(/^http:\/\/\[\[FLD\.5\]\]/, `http://${host}`)
    .replaceAll('[[FLD.1]]', encodeURIComponent(email));
  return /^[\x21-\x7e]+$/.test(filled) ? filled : new URL(filled).href;
}

async function followed(sent: string): Promise<string> {
  const { pathname } = new URL(sent);
  const reply = await fetch(server.url + pathname, {
    redirect: 'manual',
    headers: { 'user-agent': browser },
  });
  return `${reply.status} ${reply.headers.get('location')}`;
}

/** The addresses of the web that a browser follows from links and image maps, in the order of the source. */
function browserLinks(html: string): string[] {
  const found = new Map<number, string>();
  const walk = (node: DefaultTreeAdapterTypes.ParentNode): void => {
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue;
      const href = child.attrs.find(({ name }) => name === 'href')?.value.trim();
      const isLink = child.tagName === 'a' || child.tagName === 'area';
      const at = child.sourceCodeLocation?.startOffset;
      if (isLink && at !== undefined && href && /^(?:https?:|\[\[)/i.test(href)) found.set(at, href);
      walk(child);
    }
  };
  walk(parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false }));
  return [...found].sort(([a], [b]) => a - b).map(([, href]) => href);
}

describe('newsletters', () => {
  const names = namesIn(folder);

  it('are at least sixty', () => {
    expect(names.length).toBeGreaterThanOrEqual(60);
  });

  it.each(names)('%s is sent byte for byte, and each link leads to its exact address', async (name) => {
    const source = decided(withLf(sourceOf(folder, name).replace(/^\ufeff/, '')));
    const message = withoutFrame(await received(sourceOf(folder, name))).replace(/^\ufeff/, '');
    const replaced = replacedAddresses(
      source.replaceAll(/(?<=(?:^|>)[^<>]*)\[\[FLD\.1\]\]/g, email),
      message,
    );
    for (const { written, sent } of replaced) {
      const page = /^(?:https?:\/\/)?\[\[LINK\.(UNSUB|MIRROR|FORWARD)\]\]$/.exec(written)?.[1];
      if (page !== undefined) expect(new URL(sent).pathname).toMatch(new RegExp(`^/${kinds[page]}/`));
      else if (written.includes('[[LINK.MIRROR]]')) {
        const [before, after] = target(written).split('[[LINK.MIRROR]]');
        const led = (await followed(sent)).replace(/https?%3A%2F%2F[^&]*%2Fm%2F[\w-]{20,}/, '[[]]');
        expect(led).toBe(`302 ${before}[[]]${after}`);
      } else expect(await followed(sent)).toBe(`302 ${target(written)}`);
    }
    // Every link of the web that a browser shows is among them, in the message as in its source.
    const expected = browserLinks(source);
    const shown = browserLinks(message);
    expect(shown.filter((href) => !new RegExp(`^${address}$`).test(href))).toEqual([]);
    expect(shown).toHaveLength(expected.length);
    const bySent = new Map(replaced.map(({ written, sent }) => [sent, written]));
    expect(shown.map((href) => target(bySent.get(href)!))).toEqual(
      expected.map((href) => target(escaped(href))),
    );
  });
});

const escaped = (href: string) => href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

describe('damaged newsletters', () => {
  const damaged = new URL('damaged/', folder);

  const checklistOf = async (name: string): Promise<Checklist> =>
    (await t.call('GET', `/campaigns/${await campaignOf(sourceOf(damaged, name))}/checklist`)).data;

  it.each<[name: string, problems: readonly RegExp[]]>([
    [
      'lost-quote-of-a-class',
      [/^htmlContent, line 2, column 10: "x>Hello<\/p>: the quote of class is not closed/],
    ],
    [
      'lost-quote-of-an-address',
      [/^htmlContent, line 2, column 11: "https.*: the quote of href is not closed/],
    ],
    [
      'lost-quote-to-the-end',
      [/^htmlContent, line 2, column 10: "never closed>The rest: the quote of title is not closed/],
    ],
    ['open-comment', [/^htmlContent, line 2, column 1: <!-- never closed: the comment is not closed/]],
    ['open-textarea', [/^htmlContent, line 2, column 3: <textarea>: textarea is not closed/]],
    ['open-style', [/^htmlContent, line 1, column 1: <style>p\{margin:0\}: style is not closed/]],
    [
      'tag-that-does-not-end',
      [/^htmlContent, line 1, column 12: \[\[FLD\.1, voici: would be shown to readers/],
    ],
    ['tag-percent-encoded', [/^htmlContent, line 2, column 34: %5B%5BFLD\.1%5D%5D.*write \[\[FLD\.1\]\]$/]],
    ['tag-by-entities', [/^htmlContent, line 1, column 12: &#91;&#91;FLD\.1\]\]/]],
    ['tag-cut-by-formatting', [/^htmlContent, line 2, column 1: \[<b>\[FLD\.1\]\]/]],
    ['tag-of-one-bracket', [/^htmlContent, line 1, column 12: \[\[FLD\.1\] x/]],
  ])('%s: its problems are named with line and column', async (name, problems) => {
    const checklist = await checklistOf(name);
    expect(checklist.isCampaignReady).toBe(false);
    for (const problem of problems) expect(checklist.problems).toContainEqual(expect.stringMatching(problem));
  });

  it('hidden-unsubscribe: has no link that a reader can click', async () => {
    await t.db.run(
      sql`update ${t.db.t.sending_configuration} set footer_html = '' where id = ${idConfiguration}`,
    );
    expect(await checklistOf('hidden-unsubscribe')).toMatchObject({
      hasUnsub: false,
      problems: ['the HTML without [[LINK.UNSUB]] that a reader can click'],
    });
  });
});
