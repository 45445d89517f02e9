import { useState } from 'react';
import { Choice } from '../parts/choice.tsx';
import { ChartNames, type ChartPoint, LineChart } from '../parts/line-chart.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { type Scope, useOverTime } from './report-data.ts';
import { useReportWords } from './report-words.ts';

const hourMs = 3_600_000;
/** Over more hours than this, a report begins with days. */
const mostHours = 72;

type Line = readonly ChartPoint[];

/** Puts zeros where hours or days without an event are missing, before the first and after the last. */
function filled(points: Line, unitMs: number, now: number): Line {
  const zero = (at: number): ChartPoint => ({ at, values: [0, 0] });
  const all: ChartPoint[] = [zero(points[0]!.at - unitMs)];
  for (const point of points) {
    const last = all.at(-1)!.at;
    // A day of the change to winter time has 25 hours.
    if (point.at - last > 1.5 * unitMs) all.push(zero(last + unitMs));
    if (point.at - last > 2.5 * unitMs) all.push(zero(point.at - unitMs));
    all.push(point);
  }
  const last = all.at(-1)!.at;
  if (now - last > unitMs) all.push(zero(last + unitMs));
  return all;
}

/** The time from the first hour with an open to the one by which half of them had come. */
function halfAfterMs(line: Line): number | undefined {
  const total = line.reduce((sum, { values }) => sum + values[0]!, 0);
  const first = line.find(({ values }) => values[0]! > 0);
  if (!first || total < 20) return undefined;
  let sum = 0;
  for (const { at, values } of line) {
    sum += values[0]!;
    if (2 * sum >= total) return at + hourMs - first.at;
  }
  return undefined;
}

/** Opens and clicks of each hour or day. */
export function OverTime({ scope, withMachines }: { readonly scope: Scope; readonly withMachines: boolean }) {
  const { format } = useWords();
  const report = useReportWords();
  const [unit, setUnit] = useState<'hour' | 'day'>();
  const hours = useOverTime(scope, 'hour');
  const first = hours.data?.[0];
  const isLong = first !== undefined && Date.now() - Date.parse(first.date) > mostHours * hourMs;
  const shown = unit ?? (isLong ? 'day' : 'hour');
  const days = useOverTime(scope, 'day');
  const { data, error, refetch } = shown === 'hour' ? hours : days;
  const lineOf = (from: typeof data): Line =>
    (from ?? []).map((one) => ({
      at: Date.parse(one.date),
      values: withMachines ? [one.nbOpenings, one.nbClicks] : [one.nbOpeningsWithoutMpp, one.nbHumanClicks],
    }));
  const line = lineOf(data);
  const half = halfAfterMs(lineOf(hours.data));
  const lines = [
    { name: report.lineOpens, colour: 'var(--f-c1)' },
    { name: report.lineClicks, colour: 'var(--f-c3)' },
  ];
  const moment = (at: number) => (shown === 'hour' ? format.moment(new Date(at)) : format.day(new Date(at)));
  return (
    <section className="card">
      <div className="card-head">
        <h2>{report.time}</h2>
        <span className="aside">
          <ChartNames lines={lines} />
        </span>
      </div>
      <div className="card-body stack tight">
        <div>
          <Choice
            label={report.unit}
            options={[
              ['hour', report.hour],
              ['day', report.day],
            ]}
            value={shown}
            choose={setUnit}
          />
        </div>
        {error && !data && <Failed error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && line.length === 0 && <Empty title={report.noTime} />}
        {line.length > 0 && (
          <LineChart
            key={shown}
            label={report.time}
            points={filled(line, shown === 'hour' ? hourMs : 24 * hourMs, Date.now())}
            lines={lines}
            moment={moment}
            read={({ at, values }) =>
              `${moment(at)}: ${report.opens(format.count(values[0]!), format.isOne(values[0]))}, ${report.clickCount(format.count(values[1]!), format.isOne(values[1]))}`
            }
            note={half === undefined ? undefined : report.half(format.length(half / 1000))}
          />
        )}
      </div>
    </section>
  );
}
