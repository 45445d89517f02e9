import { type MouseEvent, type ReactNode, useState } from 'react';
import { useWords } from '../words/words.tsx';
import '../parts/line-chart.css';
import type { GrowthBar } from './growth-data.ts';
import './growth.css';

const [width, height] = [600, 236];
/** Numbers beside lines that are closer than this share of the height would cover each other. */
const leastApart = 0.08;

/** A round even number at or above the largest value. */
function topOf(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10]
    .map((step) => Math.round(step * power))
    .find((top) => top >= most && top % 2 === 0)!;
}

interface GrowthChartProps {
  /** Says what the chart shows. */
  readonly label: string;
  /** At least one, oldest first. */
  readonly bars: readonly GrowthBar[];
  /** The words for the bar that the reader chose. */
  readonly read: (bar: GrowthBar) => string;
  /** Shown below while no bar is chosen. */
  readonly note: ReactNode;
  /** Says below a bar with people how to open them. */
  readonly hint: string;
  /** Opens the people of a bar: those above the line or below it; undefined when a key opens them. */
  readonly open: (bar: GrowthBar, part: 'above' | 'below' | undefined) => void;
  /** Whether they are open; the bar then stays chosen. */
  readonly isOpen: boolean;
}

/**
 * People who joined above a line, and those who left below it. The pointer or the arrow keys read a bar; a click or
 * Enter opens its people.
 */
export function GrowthChart({ label, bars, read, note, hint, open, isOpen }: GrowthChartProps) {
  const { format } = useWords();
  const [chosen, setChosen] = useState<number>();
  const [up, down] = [
    topOf(Math.max(...bars.map(({ joined }) => joined))),
    topOf(Math.max(...bars.map(({ left }) => left))),
  ];
  const unit = height / (up + down);
  const zero = up * unit;
  const step = width / bars.length;
  const index = Math.min(chosen ?? bars.length - 1, bars.length - 1);
  const lines = [up, up / 2, 0, -down];
  const placeAt = ({ currentTarget, clientX }: MouseEvent) => {
    const box = currentTarget.getBoundingClientRect();
    return Math.max(
      0,
      Math.min(bars.length - 1, Math.floor(((clientX - box.left) / box.width) * bars.length)),
    );
  };
  const click = (event: MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const isBelow = (event.clientY - box.top) / box.height > zero / height;
    open(bars[placeAt(event)]!, isBelow ? 'below' : 'above');
  };
  const leave = () => {
    if (!isOpen) setChosen(undefined);
  };
  return (
    <div className="growth">
      <div className="growth-plot">
        <div className="growth-y" aria-hidden>
          {lines
            .filter((value) => value >= 0 || down / (up + down) >= leastApart)
            .map((value) => (
              <span key={value} style={{ top: `${(100 * (up - value)) / (up + down)}%` }}>
                {format.count(Math.abs(value))}
              </span>
            ))}
        </div>
        <div className="chart-area growth-area">
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
            {lines.map((value) => (
              <line
                key={value}
                x1="0"
                x2={width}
                y1={zero - value * unit}
                y2={zero - value * unit}
                className={value === 0 ? 'growth-zero' : 'chart-grid'}
              />
            ))}
            {chosen !== undefined && (
              <rect x={index * step} width={step} y="0" height={height} className="growth-chosen" />
            )}
            {bars.map(({ from, joined, left }, place) => {
              const box = { x: (place + 0.12) * step, width: step * 0.76 };
              return (
                <g key={from}>
                  <rect {...box} y={zero - joined * unit} height={joined * unit} fill="var(--f-c1)" />
                  <rect {...box} y={zero} height={left * unit} fill="var(--f-c3)" />
                </g>
              );
            })}
          </svg>
          <input
            type="range"
            className="chart-read"
            min={0}
            max={bars.length - 1}
            value={index}
            aria-label={label}
            aria-valuetext={read(bars[index]!)}
            onFocus={() => setChosen((before) => before ?? bars.length - 1)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
            onPointerMove={(event) => setChosen(placeAt(event))}
            onPointerLeave={leave}
            onBlur={leave}
            onClick={click}
            onKeyDown={(event) => {
              if (event.key === 'Enter') open(bars[index]!, undefined);
            }}
          />
        </div>
      </div>
      <div className="chart-x" aria-hidden>
        <span>{format.day(new Date(bars[0]!.from))}</span>
        <span>{format.day(new Date(bars.at(-1)!.from))}</span>
      </div>
      <p className="label text-3 growth-read anywhere">
        {chosen === undefined ? note : read(bars[index]!)}
        {chosen !== undefined && bars[index]!.joined + bars[index]!.left > 0 && ` · ${hint}`}
      </p>
    </div>
  );
}
