<?php
// PHPMailer, as WordPress and many others use it.
require 'libphp-phpmailer/autoload.php';

$mail = new PHPMailer\PHPMailer\PHPMailer(true);
$mail->isSMTP();
$mail->Host = getenv('SMTP_HOST');
$mail->Port = (int) getenv('SMTP_PORT');
$mail->SMTPSecure = ['starttls' => 'tls', 'tls' => 'ssl'][getenv('SMTP_TLS')];
$mail->SMTPAuth = true;
$mail->Username = 'any';
$mail->Password = getenv('KEY');
$mail->CharSet = 'UTF-8';
$mail->setFrom(getenv('SENDER'), 'Läden & Co');
$mail->addAddress(getenv('RECIPIENT'));
$mail->Subject = getenv('SUBJECT');
$mail->AltBody = file_get_contents('text.txt');
$mail->Body = file_get_contents('page.html');
$mail->isHTML();
$mail->addAttachment('data.dat', 'Beleg für Sie.dat');
try {
    $mail->send();
} catch (PHPMailer\PHPMailer\Exception) {
    fwrite(STDERR, $mail->ErrorInfo . "\n");
    exit(1);
}
