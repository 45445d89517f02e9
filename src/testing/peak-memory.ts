import { readFileSync } from 'node:fs';

/** The most memory that this process has had; maxRSS begins with what its parent had when it was started. */
export function peakMb(): number {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Math.round(Number(found?.[1]) / 1_024);
}
