import { type DestinationStream, type Logger, pino } from 'pino';

/** Parts of a PostgreSQL error that repeat a row's values: “Key (lower(fld1))=(ada@example.com) exists”. */
const withValues = ['detail', 'where', 'internalQuery', 'parameters'] as const;

/** The program's log, one JSON line an entry; errors without the values of rows, which may be people's addresses. */
export function openLog(
  level: string,
  to: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino({ level, serializers: { err: withoutValues } }, to);
}

function withoutValues(error: Error): object {
  const told: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const name of withValues) delete told[name];
  return told;
}
