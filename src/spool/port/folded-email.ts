/** How the store compares the email addresses of users: without regard to the case of ASCII letters, as its indexes do. */
export const foldedEmail = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
