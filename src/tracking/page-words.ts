import type { PageLanguage } from '../contents/page-language.ts';

export interface PageWords {
  readonly title: string;
  readonly text: string;
  /** The label of the button, on a page with a question. */
  readonly button?: string;
}

/** Texts that fit every reader: no form of address or participle implies a gender. */
export const pageWords = {
  ask: {
    en: {
      title: 'Unsubscribe',
      text: 'Do you no longer wish to receive our messages? Please confirm.',
      button: 'Unsubscribe',
    },
    fr: {
      title: 'Désinscription',
      text: 'Vous ne souhaitez plus recevoir nos messages ? Merci de confirmer.',
      button: 'Me désinscrire',
    },
    de: {
      title: 'Abmelden',
      text: 'Möchten Sie unsere Nachrichten nicht mehr erhalten? Bitte bestätigen Sie.',
      button: 'Abmelden',
    },
    es: {
      title: 'Darse de baja',
      text: '¿Ya no desea recibir nuestros mensajes? Confírmelo, por favor.',
      button: 'Darme de baja',
    },
    it: {
      title: 'Annulla iscrizione',
      text: 'Non desidera più ricevere i nostri messaggi? La preghiamo di confermare.',
      button: 'Annulla iscrizione',
    },
  },
  done: {
    en: {
      title: 'You will no longer receive our messages',
      text: 'Was it a mistake? You can undo it.',
      button: 'Undo',
    },
    fr: {
      title: 'Vous ne recevrez plus nos messages',
      text: 'C’était une erreur ? Vous pouvez annuler.',
      button: 'Annuler la désinscription',
    },
    de: {
      title: 'Sie erhalten unsere Nachrichten nicht mehr',
      text: 'War es ein Versehen? Sie können es rückgängig machen.',
      button: 'Rückgängig machen',
    },
    es: {
      title: 'Ya no recibirá nuestros mensajes',
      text: '¿Fue un error? Puede deshacerlo.',
      button: 'Deshacer',
    },
    it: {
      title: 'Non riceverà più i nostri messaggi',
      text: 'È stato un errore? Può annullare.',
      button: 'Annulla',
    },
  },
  undone: {
    en: { title: 'Done', text: 'You will continue to receive our messages.' },
    fr: { title: 'C’est fait', text: 'Vous continuerez à recevoir nos messages.' },
    de: { title: 'Erledigt', text: 'Sie erhalten unsere Nachrichten weiterhin.' },
    es: { title: 'Hecho', text: 'Seguirá recibiendo nuestros mensajes.' },
    it: { title: 'Fatto', text: 'Continuerà a ricevere i nostri messaggi.' },
  },
  notUndone: {
    en: {
      title: 'Nothing was changed',
      text: 'This can be undone for one hour only. Please subscribe again on our website.',
    },
    fr: {
      title: 'Rien n’a été modifié',
      text: 'L’annulation n’est possible que pendant une heure. Merci de vous réinscrire sur notre site.',
    },
    de: {
      title: 'Nichts wurde geändert',
      text: 'Dies lässt sich nur eine Stunde lang rückgängig machen. Bitte melden Sie sich auf unserer Website neu an.',
    },
    es: {
      title: 'No se ha cambiado nada',
      text: 'Solo se puede deshacer durante una hora. Suscríbase de nuevo en nuestro sitio web.',
    },
    it: {
      title: 'Nulla è stato modificato',
      text: 'È possibile annullare solo per un’ora. La preghiamo di iscriversi di nuovo sul nostro sito.',
    },
  },
  doneInTest: {
    en: {
      title: 'This was a test',
      text: 'The link works. It belongs to a test mailing, so no one was unsubscribed.',
    },
    fr: {
      title: 'Ceci était un test',
      text: 'Le lien fonctionne. Il provient d’un envoi de test : aucune désinscription n’a été faite.',
    },
    de: {
      title: 'Dies war ein Test',
      text: 'Der Link funktioniert. Er gehört zu einem Testversand, daher wurde niemand abgemeldet.',
    },
    es: {
      title: 'Esto era una prueba',
      text: 'El enlace funciona. Pertenece a un envío de prueba: nadie se ha dado de baja.',
    },
    it: {
      title: 'Era una prova',
      text: 'Il link funziona. Appartiene a un invio di prova: nessuna iscrizione è stata annullata.',
    },
  },
  notUnderstood: {
    en: {
      title: 'Nothing was changed',
      text: 'The request was not understood. Please open the link of the message again.',
    },
    fr: {
      title: 'Rien n’a été modifié',
      text: 'La demande n’a pas été comprise. Merci d’ouvrir à nouveau le lien du message.',
    },
    de: {
      title: 'Nichts wurde geändert',
      text: 'Die Anfrage wurde nicht verstanden. Bitte öffnen Sie den Link der Nachricht erneut.',
    },
    es: {
      title: 'No se ha cambiado nada',
      text: 'No se entendió la petición. Abra de nuevo el enlace del mensaje.',
    },
    it: {
      title: 'Nulla è stato modificato',
      text: 'La richiesta non è stata compresa. La preghiamo di riaprire il link del messaggio.',
    },
  },
  gone: {
    en: { title: 'Page not found', text: 'This link is not valid. Please copy it whole from the message.' },
    fr: {
      title: 'Page introuvable',
      text: 'Ce lien n’est pas valide. Merci de le copier en entier depuis le message.',
    },
    de: {
      title: 'Seite nicht gefunden',
      text: 'Dieser Link ist ungültig. Bitte kopieren Sie ihn vollständig aus der Nachricht.',
    },
    es: {
      title: 'Página no encontrada',
      text: 'Este enlace no es válido. Cópielo entero del mensaje.',
    },
    it: {
      title: 'Pagina non trovata',
      text: 'Questo link non è valido. La preghiamo di copiarlo per intero dal messaggio.',
    },
  },
  tooLarge: {
    en: {
      title: 'The page is too large',
      text: 'This message is too large to be shown here. Please read it in your mail program.',
    },
    fr: {
      title: 'La page est trop grande',
      text: 'Ce message est trop grand pour être affiché ici. Merci de le lire dans votre messagerie.',
    },
    de: {
      title: 'Die Seite ist zu groß',
      text: 'Diese Nachricht ist zu groß, um hier angezeigt zu werden. Bitte lesen Sie sie in Ihrem E-Mail-Programm.',
    },
    es: {
      title: 'La página es demasiado grande',
      text: 'Este mensaje es demasiado grande para mostrarse aquí. Léalo en su programa de correo.',
    },
    it: {
      title: 'La pagina è troppo grande',
      text: 'Questo messaggio è troppo grande per essere mostrato qui. Lo legga nel suo programma di posta.',
    },
  },
  forwarded: {
    en: { title: 'Thank you', text: 'The message is on its way to your friends.' },
    fr: { title: 'Merci', text: 'Le message est en route vers vos destinataires.' },
    de: { title: 'Vielen Dank', text: 'Die Nachricht ist unterwegs.' },
    es: { title: 'Gracias', text: 'El mensaje está en camino.' },
    it: { title: 'Grazie', text: 'Il messaggio è in viaggio.' },
  },
  tooManyForwards: {
    en: {
      title: 'Nothing was sent',
      text: 'You cannot forward more messages for now.',
    },
    fr: {
      title: 'Rien n’a été envoyé',
      text: 'Vous avez transféré autant de messages qu’il est possible pour le moment.',
    },
    de: {
      title: 'Nichts wurde gesendet',
      text: 'Mehr Nachrichten können Sie im Moment nicht weiterleiten.',
    },
    es: {
      title: 'No se ha enviado nada',
      text: 'De momento no puede reenviar más mensajes.',
    },
    it: {
      title: 'Nulla è stato inviato',
      text: 'Per il momento non può inoltrare altri messaggi.',
    },
  },
  notForwardable: {
    en: {
      title: 'This message cannot be forwarded again',
      text: 'It was forwarded to you by someone who receives our messages. Only they can forward it.',
    },
    fr: {
      title: 'Ce message ne peut pas être transféré à nouveau',
      text: 'Il vous a été transféré par une personne qui reçoit nos messages. Elle seule peut le transférer.',
    },
    de: {
      title: 'Diese Nachricht kann nicht erneut weitergeleitet werden',
      text: 'Eine Person, die unsere Nachrichten erhält, hat sie Ihnen weitergeleitet. Nur diese Person kann es tun.',
    },
    es: {
      title: 'Este mensaje no se puede volver a reenviar',
      text: 'Se lo reenvió una persona que recibe nuestros mensajes. Solo esa persona puede reenviarlo.',
    },
    it: {
      title: 'Questo messaggio non può essere inoltrato di nuovo',
      text: 'Le è stato inoltrato da una persona che riceve i nostri messaggi. Solo quella persona può inoltrarlo.',
    },
  },
  askStop: {
    en: {
      title: 'No more forwarded messages',
      text:
        'This message was forwarded to you by one of our readers. ' +
        'Do you want no one to forward our messages to you again? Please confirm.',
      button: 'Do not forward to me',
    },
    fr: {
      title: 'Ne plus recevoir de messages transférés',
      text:
        'Ce message vous a été transféré par une personne qui nous lit. ' +
        'Souhaitez-vous que personne ne puisse plus vous transférer nos messages ? Merci de confirmer.',
      button: 'Ne plus me transférer',
    },
    de: {
      title: 'Keine weitergeleiteten Nachrichten mehr',
      text:
        'Diese Nachricht wurde Ihnen weitergeleitet. ' +
        'Soll Ihnen niemand mehr unsere Nachrichten weiterleiten können? Bitte bestätigen Sie.',
      button: 'Mir nichts mehr weiterleiten',
    },
    es: {
      title: 'No recibir más mensajes reenviados',
      text:
        'Alguien que recibe nuestros mensajes le reenvió este. ' +
        '¿Desea que nadie pueda volver a reenviarle nuestros mensajes? Confírmelo, por favor.',
      button: 'No reenviarme más',
    },
    it: {
      title: 'Non ricevere più messaggi inoltrati',
      text:
        'Questo messaggio le è stato inoltrato da chi riceve i nostri messaggi. ' +
        'Desidera che nessuno possa più inoltrarle i nostri messaggi? La preghiamo di confermare.',
      button: 'Non inoltrarmi più',
    },
  },
  stopped: {
    en: { title: 'Noted', text: 'Our messages will no longer be forwarded to you.' },
    fr: { title: 'C’est noté', text: 'Nos messages ne vous seront plus transférés.' },
    de: { title: 'Notiert', text: 'Unsere Nachrichten werden Ihnen nicht mehr weitergeleitet.' },
    es: { title: 'Anotado', text: 'Ya no se le reenviarán nuestros mensajes.' },
    it: { title: 'Fatto', text: 'I nostri messaggi non le saranno più inoltrati.' },
  },
  expired: {
    en: { title: 'This message has expired', text: 'Its sender no longer shows it.' },
    fr: { title: 'Ce message a expiré', text: 'Il n’est plus affiché.' },
    de: { title: 'Diese Nachricht ist abgelaufen', text: 'Sie wird nicht mehr angezeigt.' },
    es: { title: 'Este mensaje ha caducado', text: 'Ya no se muestra.' },
    it: { title: 'Questo messaggio è scaduto', text: 'Non viene più mostrato.' },
  },
  later: {
    en: {
      title: 'Please try again',
      text: 'The page cannot be shown just now. Please try again in a moment.',
    },
    fr: {
      title: 'Veuillez réessayer',
      text: 'La page ne peut pas être affichée. Merci de réessayer dans un instant.',
    },
    de: {
      title: 'Bitte versuchen Sie es erneut',
      text: 'Die Seite kann gerade nicht angezeigt werden. Bitte versuchen Sie es gleich noch einmal.',
    },
    es: {
      title: 'Inténtelo de nuevo',
      text: 'La página no se puede mostrar ahora. Inténtelo de nuevo en un momento.',
    },
    it: {
      title: 'La preghiamo di riprovare',
      text: 'La pagina non può essere mostrata ora. Riprovi tra un momento.',
    },
  },
} satisfies Record<string, Record<PageLanguage, PageWords>>;

export type PageName = keyof typeof pageWords;
