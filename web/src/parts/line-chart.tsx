import { useState } from 'react';
import { useWords } from '../words/words.tsx';
import './line-chart.css';

/** One moment of a chart, with a value for each of its lines. */
export interface ChartPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly values: readonly number[];
}

interface LineChartProps {
  /** Says what the chart shows. */
  readonly label: string;
  /** At least one, oldest first. */
  readonly points: readonly ChartPoint[];
  readonly lines: readonly { readonly name: string; readonly colour: string }[];
  /** The words for a moment on the axis. */
  readonly moment: (at: number) => string;
  /** The words for the point that the reader chose. */
  readonly read: (point: ChartPoint) => string;
  /** Said below while no point is chosen. */
  readonly note?: string | undefined;
  /** Where the axis ends, if later than the last point: time that is still to come. */
  readonly end?: number | undefined;
}

const [width, height] = [600, 180];

/** A round number at or above the largest value, which four lines divide. */
function topOf(most: number): number {
  if (most <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((top) => top >= most)!;
}

/** Lines over time. The pointer or the arrow keys choose a point, which is read below; a table has the same numbers. */
export function LineChart({ label, points, lines, moment, read, note, end }: LineChartProps) {
  const { format } = useWords();
  const [chosen, setChosen] = useState<number>();
  const from = points[0]!.at;
  const to = Math.max(points.at(-1)!.at, end ?? 0, from + 1);
  const top = topOf(Math.max(...points.flatMap(({ values }) => values)));
  const x = (at: number) => (width * (at - from)) / (to - from);
  const y = (value: number) => height * (1 - value / top);
  const path = (line: number) =>
    points
      .map(
        ({ at, values }, index) =>
          `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(values[line]!).toFixed(1)}`,
      )
      .join('');
  const point = chosen === undefined ? undefined : points[Math.min(chosen, points.length - 1)];
  const nearest = (share: number) => {
    const at = from + share * (to - from);
    const distances = points.map((one) => Math.abs(one.at - at));
    return distances.indexOf(Math.min(...distances));
  };
  return (
    <div className="chart">
      <div className="chart-plot">
        <div className="chart-y" aria-hidden>
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{format.count(value)}</span>
          ))}
        </div>
        <div className="chart-area">
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
            {[0, 0.5, 1].map((share) => (
              <line
                key={share}
                x1="0"
                x2={width}
                y1={share * height}
                y2={share * height}
                className="chart-grid"
              />
            ))}
            <path
              d={`${path(0)}L${x(points.at(-1)!.at).toFixed(1)} ${height}L0 ${height}Z`}
              fill="var(--f-c1-area)"
            />
            {lines.map(({ name, colour }, line) => (
              <path key={name} d={path(line)} stroke={colour} className="chart-line" />
            ))}
            {point && <line x1={x(point.at)} x2={x(point.at)} y1="0" y2={height} className="chart-mark" />}
          </svg>
          <input
            type="range"
            className="chart-read"
            min={0}
            max={points.length - 1}
            value={chosen ?? points.length - 1}
            aria-label={label}
            aria-valuetext={read(point ?? points.at(-1)!)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
            onPointerMove={(event) => {
              const box = event.currentTarget.getBoundingClientRect();
              setChosen(nearest((event.clientX - box.left) / box.width));
            }}
            onPointerLeave={() => setChosen(undefined)}
            onBlur={() => setChosen(undefined)}
          />
        </div>
      </div>
      <div className="chart-x" aria-hidden>
        <span>{moment(from)}</span>
        <span>{moment(to)}</span>
      </div>
      <p className="label text-3">{point ? read(point) : (note ?? '\u00a0')}</p>
      <ChartTable label={label} points={points} lines={lines} moment={moment} />
    </div>
  );
}

/** The numbers of a chart, the latest first, for readers who prefer a table or copy from it. */
function ChartTable({ label, points, lines, moment }: ChartTableProps) {
  const { words, format } = useWords();
  const [isShown, setShown] = useState(false);
  const action = isShown ? words.shell.hideTable : words.shell.showTable;
  return (
    <>
      <button
        type="button"
        className="link small"
        // A screen may have several charts.
        aria-label={words.shell.ofChart(label, action)}
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
      >
        {action}
      </button>
      {isShown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <section className="chart-table" aria-label={label} tabIndex={0}>
          <table className="table">
            <thead>
              <tr>
                <th>{words.shell.moment}</th>
                {lines.map(({ name }) => (
                  <th key={name} className="num">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at, values }) => (
                <tr key={at}>
                  <td>{moment(at)}</td>
                  {lines.map(({ name }, line) => (
                    <td key={name} className="num" data-label={name}>
                      {format.count(values[line]!)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
type ChartTableProps = Pick<LineChartProps, 'label' | 'points' | 'lines' | 'moment'>;

/** The names of a chart's lines with their colours. */
export function ChartNames({ lines }: Pick<LineChartProps, 'lines'>) {
  return lines.map(({ name, colour }) => (
    <span key={name} className="row" style={{ gap: 6 }}>
      <span className="chart-name" style={{ background: colour }} aria-hidden />
      {name}
    </span>
  ));
}
