<?php
// WordPress's wp_mail(), whose settings are in a plugin and in wp-config.php.
require 'site/wp-load.php';

add_filter('wp_mail_from', fn () => getenv('SENDER'), 11);
add_action('phpmailer_init', function ($mail) {
    $mail->AltBody = file_get_contents('text.txt');
});
// It replaces characters such as ☂ by images of wordpress.org.
remove_filter('wp_mail', 'wp_staticize_emoji_for_email');
$html = ['Content-Type: text/html; charset=UTF-8'];
$sent = wp_mail(getenv('RECIPIENT'), getenv('SUBJECT'), file_get_contents('page.html'), $html, ['data.dat']);
exit($sent ? 0 : 1);
