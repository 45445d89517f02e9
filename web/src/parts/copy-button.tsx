import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';

/** Copies a text. Returns false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Undefined on plain http of another machine; the error leads to the older way.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    // Inside of a dialog, which takes the focus back from everything else.
    (document.querySelector('[role="dialog"]') ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}

/** Copies a text and says so. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const words = usePartWords();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    else toast({ text: words.notCopied });
  };
  const Glyph = isCopied ? IconCheck : IconCopy;
  return (
    <Button
      size="xs"
      aria-label={words.copyOf(what)}
      leftSection={<Glyph size={14} aria-hidden />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
    </Button>
  );
}
interface CopyButtonProps {
  readonly text: string;
  /** The name of the text, for readers of screens. */
  readonly what: string;
}
