#!/usr/bin/env node
import type { Logger } from 'pino';
import { readable } from './announce.ts';
import { helpText, readCommand } from './cli/command-line.ts';
import { shownSafely, UsageError } from './cli/usage.ts';
import { readConfig } from './config.ts';
import { keepHeapSmall } from './platform/heap.ts';
import { Refusal } from './platform/http/refusal.ts';
import { openLog } from './platform/log.ts';

/** Signals closer to each other than this are one wish. */
const sameSignalMs = 500;

/** The program: reads the command line, does it, and gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  keepHeapSmall();
  let log: Logger | undefined;
  try {
    const command = readCommand(args);
    if (command.name === 'help') return await tell(helpText);
    const config = readConfig();
    // Logs go to stderr: stdout belongs to the program that reads our one line. A command's user wants its result, not
    // how the database was opened.
    log = openLog(command.name === 'serve' ? config.logLevel : 'warn');
    switch (command.name) {
      case 'version':
        return await tell(`${(await import('./serve.ts')).versionOfFacteur()}\n`);
      case 'serve': {
        const { serve, stopPatienceMs } = await import('./serve.ts');
        const stopped = whenStopped();
        logCrashes(log);
        const serving = await serve(config, log);
        say(`${JSON.stringify(serving.started)}\n`);
        process.stderr.write(readable(serving.started));
        await stopped;
        setTimeout(() => endAtOnce('the parts did not end in time'), stopPatienceMs).unref();
        await serving.stop();
        process.stderr.write('Facteur has stopped.\n');
        return 0;
      }
      case 'restore': {
        const { restore } = await import('./installation/restore.ts');
        say(`${JSON.stringify(await restore(command.file, config, log))}\n`);
        return await written();
      }
      case 'demo': {
        const { runDemo } = await import('./demo/run-demo.ts');
        return (await runDemo(config, command.rows)) ? 0 : 1;
      }
      default: {
        const { runCommand } = await import('./cli/run-command.ts');
        await runCommand(command, config, log, {
          print: (line) => say(`${line}\n`),
          note: (line) => process.stderr.write(`${line}\n`),
        });
        return await written();
      }
    }
  } catch (error) {
    return fail(error, log);
  }
}

function say(text: string): void {
  process.stdout.write(text);
}

function tell(text: string): Promise<number> {
  say(text);
  return written();
}

/** Returns 0 after all output was written: a result that no reader got is no success. @throws Error */
async function written(): Promise<number> {
  await new Promise((resolve) => process.stdout.write('', () => setImmediate(resolve)));
  if (unsaid) throw new Error(`The result could not be written to stdout: ${unsaid.message}`);
  return 0;
}

/** One sentence for what we expect to go wrong; in the log the stack too, for what we do not. */
function fail(error: unknown, log: Logger | undefined): number {
  const { message, code } = error as Error & { code?: string };
  const isUsage = error instanceof UsageError;
  process.stderr.write(`facteur: ${shownSafely(message)}\n${isUsage ? 'See npx facteur help\n' : ''}`);
  // What we throw to be read is a plain Error without a code; a TypeError or a system error is a defect or a riddle.
  const isPlain = (error as Error).constructor === Error && code === undefined;
  const isExpected = isPlain || isUsage || error instanceof Refusal;
  if (!isExpected || log?.isLevelEnabled('debug')) log?.error({ err: error }, 'the command failed');
  return 1;
}

/** Ends without closing anything: everything that matters is made to survive that. */
function endAtOnce(why: string): never {
  process.stderr.write(`facteur: ended at once: ${why}\n`);
  process.exit(1);
}

/** A defect ends the process as it would by itself, but with a line in the log. The next start continues. */
function logCrashes(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'ended by a defect');
    process.exit(1);
  });
}

/** Resolves at the first signal to end; a second one ends the process at once. */
function whenStopped(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // npm passes on a Ctrl-C that the terminal has also sent to us: both count as one.
        if (firstAt !== undefined && performance.now() - firstAt > sameSignalMs)
          endAtOnce(`a second signal (${signal})`);
        firstAt ??= performance.now();
        resolve();
      });
    }
  });
}

/** Why a part of our output was not written. A reader that closed the pipe is no reason to end immediately. */
let unsaid: Error | undefined;
process.stdout.on('error', (error) => {
  unsaid ??= error;
});
process.stderr.on('error', () => undefined);
process.exit(await main(process.argv.slice(2)));
