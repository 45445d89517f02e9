import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LongTextField } from '../parts/fields.tsx';
import { Opened } from '../parts/opened.tsx';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { FolderDialog } from './folder-dialog.tsx';
import { countRows, mostBytes, uploadFile } from './upload.ts';
import { type Upload, Uploading } from './uploading.tsx';
import { previewsOf } from './use-preview.ts';

/** The files that imports read, for the browser's dialog. */
export const accepted = '.csv,.txt,.tsv,.xlsx,.gz,.zip';

/**
 * Uploads a file and opens its preparation.
 * @param like the import that the file corrects
 * @param uploaded called after the upload, before the preparation is opened
 */
export function useTakeFile(like?: number, uploaded?: () => Promise<void>) {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [uploading, setUploading] = useState<Upload>();
  const [error, setError] = useState('');
  /** Returns what is wrong with the file. */
  const upload = async (
    file: File,
    options?: Parameters<typeof uploadFile>[2],
  ): Promise<string | undefined> => {
    if (file.size > mostBytes) return words.imports.tooLarge;
    const [path, rows] = await Promise.all([uploadFile(site.name, file, options), countRows(file)]);
    // It replaces a file of this name, which may be the one that is prepared.
    void queries.resetQueries({ queryKey: previewsOf(site.name, path) });
    options?.signal?.throwIfAborted();
    await uploaded?.();
    options?.signal?.throwIfAborted();
    await navigate({
      to: '/$site/imports/new',
      params: { site: site.name },
      search: { file: path, ...(rows !== undefined && { rows }), ...(like !== undefined && { like }) },
    });
    return undefined;
  };
  const running = useRef<AbortController>(undefined);
  // An upload ends with its screen, whose user does something else now.
  useEffect(() => () => running.current?.abort(), []);
  const take = async (file: File | undefined) => {
    if (!file) return;
    // One after the other.
    if (running.current) return setError(words.imports.uploadFirst);
    setError('');
    const stop = new AbortController();
    running.current = stop;
    const show = (sent: number) =>
      setUploading({ name: file.name, size: file.size, sent, cancel: () => stop.abort() });
    show(0);
    try {
      setError((await upload(file, { signal: stop.signal, sent: show })) ?? '');
    } catch (failure) {
      setError(stop.signal.aborted ? '' : refusal(failure));
    }
    running.current = undefined;
    setUploading(undefined);
  };
  /** The file that is being uploaded, and what was wrong with the last one. */
  return { upload, take, uploading, error };
}

/** Takes a file that is dropped anywhere on the screen. Returns whether one is held over it. */
export function useDrop(take: (file: File | undefined) => Promise<void>): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    // A text may be dragged within the page.
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Between two elements of the page it has not left.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void latest.current(event.dataTransfer?.files[0]);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

/** Takes a file by drop or choice, pasted rows, or a file of the SFTP account, and opens its preparation. */
export function Drop() {
  const { words } = useWords();
  const texts = words.imports;
  const { upload, take, uploading, error } = useTakeFile();
  const [opened, setOpened] = useState<'paste' | 'folder'>();
  const close = () => setOpened(undefined);
  const isOver = useDrop(take);
  return (
    <section className="drop" aria-label={texts.drop} data-over={isOver || undefined}>
      <IconUpload size={22} stroke={1.6} className="text-3" aria-hidden />
      <h2>{texts.drop}</h2>
      <p className="small text-2">{texts.dropText}</p>
      <div className="row ways">
        <ChooseFile
          accept={accepted}
          take={([file]) => void take(file)}
          variant="filled"
          loading={uploading !== undefined}
        >
          {texts.choose}
        </ChooseFile>
        <Button onClick={() => setOpened('paste')}>{texts.paste.open}</Button>
        <Button onClick={() => setOpened('folder')}>{texts.folder.open}</Button>
      </div>
      {uploading && <Uploading upload={uploading} />}
      <p className="small" role="status">
        {error !== '' && <span className="red">{error}</span>}
      </p>
      {opened === 'paste' && <PasteDialog upload={upload} close={close} />}
      {/* Its texts load when it opens. */}
      {opened === 'folder' && (
        <Opened close={close}>
          <FolderDialog close={close} />
        </Opened>
      )}
    </section>
  );
}

/** Makes a file of pasted rows: from a spreadsheet, or one address for each line. They are kept until it is uploaded. */
function PasteDialog({ upload, close }: PasteProps) {
  const { words } = useWords();
  const texts = words.imports.paste;
  const draft = useFormDraft('pasted-rows');
  const [text, setText] = draft.field('text', '');
  useFocusReturn();
  const save = async () => {
    if (text.trim() === '') return { text: texts.nothing };
    const at = new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '');
    // The mark says that it is UTF-8.
    return upload(new File(['\ufeff', text], `pasted_${at}.csv`, { type: 'text/csv' }));
  };
  const leave = () => {
    draft.forget();
    close();
  };
  return (
    <Dialog
      close={leave}
      back={close}
      title={texts.title}
      size="lg"
      // A click beside it loses what was pasted.
      closeOnClickOutside={false}
    >
      <SubmitForm save={save} saveLabel={texts.take} close={close} draft={draft}>
        <LongTextField
          property="text"
          data-autofocus
          label={texts.label}
          description={texts.text}
          rows={10}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </SubmitForm>
    </Dialog>
  );
}
interface PasteProps {
  readonly upload: (file: File) => Promise<string | undefined>;
  readonly close: () => void;
}
