import { IconAlertCircle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

const glyphs = { green: IconCircleCheck, amber: IconAlertCircle, red: IconCircleX } as const;

/** What a test found, by glyph, colour and words. */
export interface Found {
  readonly colour: keyof typeof glyphs;
  readonly text: ReactNode;
}

/** The result of a test; its words may take several lines. */
export function Verdict({ colour, text }: Found) {
  const Glyph = glyphs[colour];
  return (
    <p className={`state ${colour}`} style={{ whiteSpace: 'normal' }}>
      <Glyph size={16} stroke={1.75} aria-hidden />
      <span className="anywhere">{text}</span>
    </p>
  );
}
