import { Button, Modal, MultiSelect, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { fieldIds, fieldName, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';

const utf8 = 65001;

/** Asks what to export, and starts the export. */
export function ExportDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.exports;
  const site = useSite();
  const params = { path: { idsite: site.name } };
  const queries = useQueryClient();
  const refusal = useRefusal();
  const fields = useFields();
  const targets = useQuery({
    queryKey: ['targets', site.name, 'list', 'all'],
    queryFn: () => dataOf(api.GET('/v1/{idsite}/targets/all', { params })),
  });
  const [target, setTarget] = useState('');
  const [chosen, setChosen] = useState([String(fieldIds.email)]);
  const [filename, setFilename] = useState('');
  const [isPacked, setPacked] = useState(false);
  const [error, setError] = useState('');
  const start = async (event: FormEvent) => {
    event.preventDefault();
    if (target === '') return setError(texts.noTarget);
    if (chosen.length === 0) return setError(texts.noField);
    try {
      await dataOf(
        api.POST('/v1/{idsite}/exports', {
          params,
          body: {
            idTarget: Number(target),
            idsFields: chosen,
            idsEncodeFields: [],
            encoding: 'None',
            typeList: 'VALUE',
            codePage: utf8,
            ...(filename.trim() && { filename: filename.trim() }),
            ...(isPacked && { compress: 'GZip' as const }),
          },
        }),
      );
      await queries.invalidateQueries({ queryKey: ['exports', site.name] });
      toast({ text: texts.started });
      close();
    } catch (failure) {
      setError(refusal(failure));
    }
  };
  return (
    <Modal opened onClose={close} title={texts.new} closeButtonProps={{ 'aria-label': words.shell.close }}>
      <form className="stack tight" onSubmit={(event) => void start(event)} noValidate>
        <NativeSelect
          data-autofocus
          label={texts.target}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
        >
          <option value="">–</option>
          {targets.data?.items.map(({ idTarget, name }) => (
            <option key={idTarget} value={idTarget}>
              {name}
            </option>
          ))}
        </NativeSelect>
        <MultiSelect
          label={texts.fields}
          searchable
          data={
            fields.data?.map((field) => ({ value: String(field.id), label: fieldName(words, field) })) ?? []
          }
          value={chosen}
          onChange={setChosen}
        />
        <TextInput
          label={texts.file}
          placeholder={texts.fileHint}
          maxLength={255}
          value={filename}
          onChange={(event) => setFilename(event.currentTarget.value)}
        />
        <Switch
          label={texts.gzip}
          checked={isPacked}
          onChange={(event) => setPacked(event.currentTarget.checked)}
        />
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div>
          <Button type="submit" variant="filled">
            {texts.start}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
