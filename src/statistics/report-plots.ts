import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { Temporal } from 'temporal-polyfill';
import { escapeHtml } from '../contents/tag-escape.ts';

/** A line of a plot: its name, its colour, and its values by instants (ms since 1970); 0 where there is none. */
export interface Series {
  readonly name: string;
  readonly color: string;
  readonly values: ReadonlyMap<number, number>;
}

interface Shape {
  readonly label: string;
  readonly locale: string;
  readonly unit: 'hour' | 'day';
}

const width = 720;
const height = 240;
const edge = { left: 48, right: 16, top: 34, bottom: 28 };
const mostTimes = 8;
/** Maximum number of points in a plot; later ones are only in its table. */
const mostPoints = 400;

/**
 * Lines over time as SVG, by d3's scales and shapes. The values are in a table too, so the picture is one image to a
 * screen reader.
 */
export function timePlot(series: readonly Series[], { label, locale, unit }: Shape): string {
  const dates = pointsOf(series, unit);
  if (dates.length === 0) return '';
  const highest = Math.max(4, ...series.flatMap(({ values }) => [...values.values()]));
  const x = scaleUtc([dates[0]!, dates.at(-1)!], [edge.left, width - edge.right]);
  const y = scaleLinear([0, highest], [height - edge.bottom, edge.top]).nice(4);
  const count = new Intl.NumberFormat(locale);
  const grid = y.ticks(4).map((value) => {
    const at = round(y(value));
    return (
      `<line x1="${edge.left}" x2="${width - edge.right}" y1="${at}" y2="${at}" class="grid"/>` +
      `<text x="${edge.left - 6}" y="${at + 4}" text-anchor="end">${count.format(value)}</text>`
    );
  });
  const shapes = series.map(({ values, color }) => {
    const points = dates.map((at) => [x(at), y(values.get(at) ?? 0)] as [number, number]);
    const ground = area<[number, number]>()
      .curve(curveMonotoneX)
      .x(([at]) => at)
      .y0(y(0))
      .y1(([, value]) => value);
    const dots = points.map(
      ([at, value]) => `<circle cx="${round(at)}" cy="${round(value)}" r="2" fill="${color}"/>`,
    );
    return (
      `<path d="${short(ground(points))}" fill="${color}" opacity=".12"/>` +
      `<path d="${short(line().curve(curveMonotoneX)(points))}" fill="none" stroke="${color}" stroke-width="2"/>` +
      (points.length <= 60 ? dots.join('') : '')
    );
  });
  return (
    `<div class="plot" tabindex="0" role="region" aria-label="${escapeHtml(label)}">` +
    `<svg role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${width} ${height}">` +
    `${grid.join('')}${timesOf(dates, x, locale, unit)}${shapes.join('')}${legendOf(series)}</svg></div>`
  );
}

/** Every hour or day from the first to the last one, at least two. Paris days are 23 to 25 hours long. */
function pointsOf(series: readonly Series[], unit: Shape['unit']): number[] {
  const known = series.flatMap(({ values }) => [...values.keys()]);
  if (known.length === 0) return [];
  const last = Math.max(...known);
  const points: number[] = [];
  let next = Temporal.Instant.fromEpochMilliseconds(Math.min(...known)).toZonedDateTimeISO('Europe/Paris');
  while (points.length < 2 || (next.epochMilliseconds <= last && points.length < mostPoints)) {
    points.push(next.epochMilliseconds);
    next = next.add(unit === 'hour' ? { hours: 1 } : { days: 1 });
  }
  return points;
}

function timesOf(
  dates: readonly number[],
  x: (at: number) => number,
  locale: string,
  unit: Shape['unit'],
): string {
  const shown = new Intl.DateTimeFormat(locale, {
    timeZone: 'Europe/Paris',
    ...(unit === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
  });
  const every = Math.ceil(dates.length / mostTimes);
  return dates
    .filter((_, i) => i % every === 0)
    .map(
      (at) =>
        `<text x="${round(x(at))}" y="${height - 8}" text-anchor="middle">${escapeHtml(shown.format(at))}</text>`,
    )
    .join('');
}

const legendOf = (series: readonly Series[]) =>
  series
    .map(
      ({ name, color }, i) =>
        `<rect x="${edge.left + i * 130}" y="8" width="10" height="10" fill="${color}"/>` +
        `<text x="${edge.left + 16 + i * 130}" y="17">${escapeHtml(name)}</text>`,
    )
    .join('');

/** A bar that shows a share, 0 to 1, beside its number; hidden from screen readers, which read the number. */
export function bar(share: number): string {
  const long = scaleLinear([0, 1], [0, 120]).clamp(true)(share);
  return (
    '<svg class="bar" aria-hidden="true" viewBox="0 0 120 10"><rect width="120" height="10" class="track"/>' +
    `<rect width="${round(long)}" height="10" class="fill"/></svg>`
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
const short = (path: string | null) =>
  (path ?? '').replaceAll(/\d+\.\d+/g, (one) => String(round(Number(one))));
