import { MultiSelect, Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { ChoiceState } from '../parts/choice-state.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { fieldIds, fieldName, useFields } from '../subscribers/fields.ts';
import { TargetChoice } from '../targets/target-choice.tsx';
import { useWords } from '../words/words.tsx';

const utf8 = 65001;

/** Asks what to export, and starts the export. */
export function ExportDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.exports;
  const site = useSite();
  const params = { path: { idsite: site.name } };
  const queries = useQueryClient();
  const draft = useFormDraft('export');
  const fields = useFields();
  const searchable = useSearchable();
  const [target, setTarget] = draft.field('target', '');
  const [chosen, setChosen] = draft.field('fields', [String(fieldIds.email)]);
  const [filename, setFilename] = draft.field('filename', '');
  const [isPacked, setPacked] = draft.field('isPacked', false);
  const start = async () => {
    if (target === '') return { idTarget: texts.noTarget };
    if (chosen.length === 0) return texts.noField;
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
    return undefined;
  };
  const leave = () => {
    draft.forget();
    close();
  };
  return (
    <Dialog close={leave} back={close} title={texts.new}>
      <SubmitForm save={start} saveLabel={texts.start} close={close} draft={draft}>
        <TargetChoice
          property="idTarget"
          data-autofocus
          label={texts.target}
          value={target || null}
          choose={setTarget}
        />
        <div>
          <MultiSelect
            label={texts.fields}
            {...searchable}
            data={
              fields.data?.map((field) => ({ value: String(field.id), label: fieldName(words, field) })) ?? []
            }
            value={chosen}
            onChange={setChosen}
          />
          <ChoiceState query={fields} />
        </div>
        <TextField
          property="filename"
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
      </SubmitForm>
    </Dialog>
  );
}
