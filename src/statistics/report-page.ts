import { createHash } from 'node:crypto';
import { escapeHtml } from '../contents/tag-escape.ts';
import type { TimeStatistics } from './over-time.ts';
import type { ReportFigures } from './report-figures.ts';
import { bar, timePlot } from './report-plots.ts';
import { type ReportWords, reportWords } from './report-words.ts';

const style =
  ':root{color-scheme:light}*{box-sizing:border-box}' +
  'body{margin:0;background:#faf9f7;color:#1f1d1a;font:1rem/1.5 system-ui,sans-serif}' +
  'main{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 4rem}' +
  'h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}' +
  'h2{font-size:1.15rem;margin:0 0 .75rem}' +
  'section{background:#fff;border:1px solid #e5e2dc;border-radius:8px;padding:1.25rem;margin-top:1.25rem}' +
  'p{margin:.25rem 0}.quiet{color:#57534c;font-size:.9rem}a{color:#2f54c9}nav{margin-top:.75rem}' +
  'nav a{margin-right:1.25rem}' +
  'table{border-collapse:collapse;width:100%;font-size:.92rem}.wide{overflow-x:auto}' +
  'th,td{padding:.4rem .6rem .4rem 0;text-align:left;border-bottom:1px solid #efede8;vertical-align:top}' +
  'td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}' +
  'td.u{overflow-wrap:anywhere;min-width:9rem}' +
  'svg{display:block;width:100%;height:auto;margin:.25rem 0 1rem}' +
  'svg text{font:11px system-ui,sans-serif;fill:#57534c}' +
  '.plot{overflow-x:auto}.plot svg{min-width:34rem}.grid{stroke:#efede8}' +
  '.bar{width:120px;height:10px;margin:.4rem 0 0}.track{fill:#e9e6e0}.fill{fill:#2f54c9}' +
  'iframe{width:100%;height:40rem;border:1px solid #e5e2dc;border-radius:6px;background:#fff}' +
  '@media (max-width:30rem){main{padding:1.25rem .75rem 3rem}section{padding:.9rem}.bar{width:60px}}' +
  '@page{size:A4;margin:14mm}@media print{body{background:#fff;font-size:.85rem}main{max-width:none;padding:0}' +
  'nav{display:none}section{break-inside:avoid;border:0;padding:0 0 .5rem}' +
  'section.long{break-inside:auto}tr{break-inside:avoid}' +
  'iframe{height:22cm;break-inside:avoid}}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** No script and nothing from other hosts; only the click map is in a frame. */
export const reportPolicy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; frame-src 'self'; frame-ancestors 'none'; ` +
  `base-uri 'none'; form-action 'none'`;

/**
 * The page of a report as a reader chose it.
 * @param mpp whether opens by mail privacy protection are included
 * @param map the address of the click map, if there is one
 */
export function reportPage(
  figures: ReportFigures,
  language: 'en' | 'fr',
  mpp: boolean,
  map?: string,
): string {
  const words = reportWords[language];
  const shown = new Shown(words);
  const other = language === 'en' ? 'fr' : 'en';
  const title = `${words.report}: ${figures.campaign}`;
  const clickMap =
    `<p class="quiet">${words.clickMapText}</p>` +
    `<iframe src="${escapeHtml(map ?? '')}" title="${words.clickMap}" sandbox></iframe>`;
  const sections = [
    section(words.funnel, funnel(figures, words, shown, mpp)),
    section(words.overTime, overTime(figures, words, shown, mpp)),
    section(words.providers, providers(figures, words, shown, mpp), true),
    section(words.links, links(figures, words, shown), true),
    map === undefined ? '' : section(words.clickMap, clickMap),
    section(words.bounces, bounces(figures, words, shown), true),
  ];
  return page(
    language,
    title,
    `<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(figures.subject)}</p>` +
      `<p class="quiet">${escapeHtml(figures.site)} · ${escapeHtml(figures.sender)}` +
      `${figures.startedAt === null ? '' : ` · ${words.sent} ${shown.time(figures.startedAt)}`} · ${words.made} ` +
      `${shown.time(figures.madeAt)} · ${words.until} ${shown.time(figures.expiresAt)}</p>` +
      `<nav><a href="?lang=${other}&amp;mpp=${mpp}" hreflang="${other}" lang="${other}">${words.other}</a>` +
      `<a href="?lang=${language}&amp;mpp=${!mpp}">${mpp ? words.withoutMpp : words.withMpp}</a></nav></header>` +
      `${sections.join('')}<p class="quiet">${words.mppText}</p>`,
  );
}

/** The page for an unknown or expired report. */
export function noReportPage(language: 'en' | 'fr'): string {
  const { gone, goneText } = reportWords[language];
  return page(language, gone, `<h1>${gone}</h1><p>${goneText}</p>`);
}

function page(language: string, title: string, body: string): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">' +
    `<style>${style}</style></head><body><main>${body}</main></body></html>`
  );
}

const section = (title: string, body: string, isLong = false) =>
  `<section${isLong ? ' class="long"' : ''}><h2>${title}</h2>${body}</section>`;

/** Numbers and dates as a language writes them. */
class Shown {
  readonly #count: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #time: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;

  constructor({ locale }: ReportWords) {
    this.#count = new Intl.NumberFormat(locale);
    this.#percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
    this.#day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'Europe/Paris' });
    this.#time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Europe/Paris',
    });
  }

  count = (value: number): string => this.#count.format(value);
  share = (part: number, whole: number): string => this.#percent.format(whole === 0 ? 0 : part / whole);
  day = (iso: string): string => this.#day.format(new Date(iso));
  time = (iso: string): string => this.#time.format(new Date(iso));
}

const hourMs = 3_600_000;
const valuesOf = (rows: readonly TimeStatistics[], value: (one: TimeStatistics) => number) =>
  new Map(rows.map((one) => [new Date(one.date).getTime(), value(one)]));

interface Column {
  readonly name: string;
  readonly kind?: 'n' | 'u';
}

const numbers = (...names: readonly string[]) => names.map((name): Column => ({ name, kind: 'n' }));

/** @param rows cells are HTML */
function table(caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const classOf = ({ kind }: Column) => (kind ? ` class="${kind}"` : '');
  const heads = columns.map((one) => `<th scope="col"${classOf(one)}>${one.name}</th>`);
  const lines = rows.map(
    (cells) => `<tr>${cells.map((cell, i) => `<td${classOf(columns[i]!)}>${cell}</td>`).join('')}</tr>`,
  );
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>` +
    `<thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  );
}

function funnel(figures: ReportFigures, words: ReportWords, shown: Shown, mpp: boolean): string {
  const { counters, withoutMpp, humanClickers, nbAddressToSend } = figures;
  const sent = counters.nbAddressSent;
  const rows: [string, number][] = [
    [words.toSend, nbAddressToSend],
    [words.accepted, sent],
    [words.delivered, counters.nbDelivered],
    [words.openers, mpp ? counters.nbOpeners : withoutMpp.openers],
    [words.clickers, counters.nbClickers],
    [words.humanClickers, humanClickers],
    [words.unsubs, counters.nbUnsubs],
    [words.complaints, counters.nbSpamComplaints],
  ];
  return table(
    words.funnel,
    [{ name: words.figure }, ...numbers(words.number, words.share)],
    rows.map(([name, value]) => [
      `${name}${bar(sent === 0 ? 0 : value / Math.max(sent, nbAddressToSend))}`,
      shown.count(value),
      shown.share(value, sent),
    ]),
  );
}

function overTime({ hours, days }: ReportFigures, words: ReportWords, shown: Shown, mpp: boolean): string {
  if (days.length === 0) return `<p>${words.none}</p>`;
  const start = new Date(hours[0]!.date).getTime();
  const first = hours.filter(({ date }) => new Date(date).getTime() < start + 48 * hourMs);
  const opened = (one: TimeStatistics) => (mpp ? one.nbOpenings : one.nbOpeningsWithoutMpp);
  const plot = (rows: readonly TimeStatistics[], label: string, unit: 'hour' | 'day') =>
    timePlot(
      [
        { name: words.openings, color: '#2f54c9', values: valuesOf(rows, opened) },
        { name: words.clicks, color: '#1a7a49', values: valuesOf(rows, ({ nbClicks }) => nbClicks) },
      ],
      { label, locale: words.locale, unit },
    );
  return (
    `<h3 class="quiet">${words.hours}</h3>${plot(first, words.hours, 'hour')}` +
    `<h3 class="quiet">${words.days}</h3>${plot(days, words.days, 'day')}` +
    table(
      words.day,
      [{ name: words.day }, ...numbers(words.openings, words.clicks, words.unsubs, words.returned)],
      days.map((one) => [
        shown.day(one.date),
        ...[opened(one), one.nbClicks, one.nbUnsubs, one.nbBounces].map(shown.count),
      ]),
    )
  );
}

function providers({ providers: all }: ReportFigures, words: ReportWords, shown: Shown, mpp: boolean) {
  if (all.length === 0) return `<p>${words.none}</p>`;
  const { accepted, delivered, openers, clickers, complaints } = words;
  return table(
    words.providers,
    [{ name: words.provider }, ...numbers(accepted, delivered, openers, clickers, complaints)],
    all.map(({ name, counters, openersWithoutMpp }) => [
      escapeHtml(name === '' ? words.others : name),
      ...[counters.nbAddressSent, counters.nbDelivered].map(shown.count),
      shown.count(mpp ? counters.nbOpeners : openersWithoutMpp),
      ...[counters.nbClickers, counters.nbSpamComplaints].map(shown.count),
    ]),
  );
}

function links({ links: all, counters }: ReportFigures, words: ReportWords, shown: Shown): string {
  if (all.length === 0) return `<p>${words.none}</p>`;
  return table(
    words.links,
    [{ name: words.link, kind: 'u' }, ...numbers(words.clickers, words.humanClickers, words.clicks)],
    all.map(({ url, nbClickers, nbHumanClickers, nbClicks }) => [
      `${escapeHtml(url)}${bar(counters.nbClickers === 0 ? 0 : nbClickers / counters.nbClickers)}`,
      ...[nbClickers, nbHumanClickers, nbClicks].map(shown.count),
    ]),
  );
}

function bounces({ reasons }: ReportFigures, words: ReportWords, shown: Shown): string {
  if (reasons.length === 0) return `<p>${words.none}</p>`;
  return table(
    words.bounces,
    [{ name: words.reason }, { name: words.code }, ...numbers(words.number)],
    reasons.map((one) => [
      escapeHtml(words.classes[one.class] ?? ''),
      escapeHtml(one.status),
      shown.count(one.count),
    ]),
  );
}
