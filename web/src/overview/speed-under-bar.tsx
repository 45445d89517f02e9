import type { Speeds } from '../campaigns/use-speed.ts';
import { useWords } from '../words/words.tsx';
import { useSentWords } from './words.ts';

interface SpeedProps {
  readonly speeds: Speeds;
  /** The whole audience, which the bar above stands for. */
  readonly whole: number;
  /** When the sending started, in milliseconds since 1970. */
  readonly start: number;
}

const [width, height] = [100, 40];

/**
 * The speed since the start, below the bar and on its scale: at each place of the bar, how fast the people up to there
 * were reached. For those before the first figure of this page it is their mean.
 */
export function SpeedUnderBar({ speeds: { line, first, speed }, whole, start }: SpeedProps) {
  const { format } = useWords();
  const overview = useSentWords();
  const before = first && first.at > start ? (1000 * first.count) / (first.at - start) : 0;
  const points = [
    ...(first && first.count > 0
      ? [
          { count: 0, value: before },
          { count: first.count, value: before },
        ]
      : []),
    ...line.map(({ count, values: [value = 0] }) => ({ count, value })),
  ];
  const most = Math.max(1, ...points.map(({ value }) => value));
  const x = (count: number) => ((width * count) / whole).toFixed(2);
  const y = (value: number) => (height * (1 - value / most)).toFixed(2);
  const path = points
    .map(({ count, value }, index) => `${index === 0 ? 'M' : 'L'}${x(count)} ${y(value)}`)
    .join('');
  const [from, to] = [points[0], points.at(-1)];
  return (
    <svg
      className="run-speed"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={overview.speeds(format.count(most), speed === undefined ? '–' : format.count(speed))}
    >
      {from && to && (
        <>
          <path d={`${path}L${x(to.count)} ${height}L${x(from.count)} ${height}Z`} fill="var(--f-c1-area)" />
          <path
            d={path}
            fill="none"
            stroke="var(--f-c1)"
            strokeWidth="1.5"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
