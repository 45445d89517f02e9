export interface Terminal {
  step(title: string): void;
  say(text: string): void;
  /** A line that is written over by the next one, while something continues. */
  progress(text: string): void;
}

/** Writes to the terminal; the running line is omitted if the output is a file or a pipe. */
export function terminal(output: NodeJS.WriteStream): Terminal {
  let number = 0;
  const clear = output.isTTY ? '\r\u001b[K' : '';
  return {
    step(title) {
      number++;
      output.write(`${clear}\n${number}. ${title}\n`);
    },
    say(text) {
      output.write(`${clear}   ${text}\n`);
    },
    progress(text) {
      if (output.isTTY) output.write(`${clear}   ${text}`);
    },
  };
}

/** Asks until the answer is there. @throws Error after `timeoutS` seconds, naming what was waited for. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  timeoutS = 600,
  everyMs = 300,
): Promise<T> {
  const until = Date.now() + timeoutS * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error(`${what}: nothing after ${timeoutS} s`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
