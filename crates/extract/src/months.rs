//! What the months are called.

/// Names of the months, long and short, in the forms that dates have.
pub(crate) const MONTHS: [&str; 12] = [
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia sty января янв ledna led \
     januára ocak oca ιανουαρίου ιαν tammikuuta január ianuarie ian يناير كانون січня siječnja \
     जनवरी มกราคม ינואר בינואר януари sausio janvāris janvārī jaanuar janúar gener januara јануара januarie tammikuu \
     январь січень leden styczeń јануар ιανουάριος ιανουαριου urtarrilaren جانفي ม.ค জানুয়ারি \
     јануари janar yanvar қаңтар студзеня հունվարի იანვარი ژانویه جنوری ஜனவரி జనవరి ionawr xaneiro siječanj sausis tammi",
    "february feb februar février févr fév febrero febbraio fevereiro fev februari lutego lut февраля фев února úno \
     februára şubat şub φεβρουαρίου φεβ helmikuuta február februarie فبراير شباط лютого veljače \
     फरवरी फ़रवरी กุมภาพันธ์ פברואר בפברואר февруари vasario februāris februārī veebruar febrúar febrer februara фебруара \
     февраль лютий únor luty фебруар φεβρουάριος φεβρουαριου febr otsailaren فيفري ก.พ ফেব্রুয়ারি \
     shkurt fevral ақпан фебруари փետրվարի თებერვალი فوریه فروری பிப்ரவரி ఫిబ్రవరి chwefror febreiro veljača vasaris helmi peb pebruari",
    "march mar märz mär mrz mars marzo março maart mrt marca марта мар března bře mart μαρτίου μαρ maaliskuuta március \
     martie مارس آذار березня ožujka marts \
     मार्च มีนาคม מרץ במרץ kovo märts març marta maret mac \
     март березень březen marzec marec μάρτιος μαρτιου μάρ márc martxoaren มี.ค মার্চ \
     наурыз сакавіка մարտի მარტი مارچ மார்ச் మార్చి mawrth ožujak kovas maalis machi",
    "april apr avril avr abril abr aprile kwietnia kwi апреля апр dubna dub apríla nisan nis απριλίου απρ huhtikuuta április \
     aprilie أبريل ابريل نيسان квітня travnja \
     अप्रैल เมษายน אפריל באפריל април balandžio aprīlis aprīlī aprill apríl aprila \
     апрель квітень duben kwiecień априла απρίλιος απριλιου ápr apirilaren أفريل เม.ย এপ্রিল \
     prill aprel сәуір красавіка ապրիլի აპრილი آوریل اپریل ஏப்ரல் ఏప్రిల్ ebrill travanj balandis huhti aprili",
    "may mai mayo maggio mag maio mei maja maj мая май května kvě mája mayıs μαΐου μαϊ toukokuuta május مايو أيار травня \
     svibnja \
     मई พฤษภาคม מאי במאי gegužės maijs maijā maí maig \
     травень květen мај маја μάιος μαιου μάι máj maiatzaren ماي พ.ค মে \
     мамыр մայիսի მაისი مه مئی மே మే svibanj gegužė touko",
    "june jun juni juin junio giugno giu junho czerwca cze июня июн června čvn júna haziran haz ιουνίου ιουν kesäkuuta június \
     iunie يونيو حزيران червня lipnja \
     जून มิถุนายน יוני ביוני юни birželio jūnijs jūnijā juuni júní juny junija juna \
     июнь червень červen czerwiec јун јуна junij ιούνιος ιουνιου ιούν jún ekainaren جوان มิ.ย জুন \
     јуни qershor iyun маусым чэрвеня հունիսի ივნისი ژوئن جون ஜூன் జూన్ mehefin xuño junie lipanj birželis kesä",
    "july jul juli juillet juil julio luglio lug julho lipca lip июля июл července čvc júla temmuz tem ιουλίου ιουλ \
     heinäkuuta július iulie يوليو تموز липня srpnja \
     जुलाई กรกฎาคม יולי ביולי юли liepos jūlijs jūlijā juuli júlí juliol julija jula \
     июль липень červenec lipiec јул јула julij ιούλιος ιουλιου ιούλ júl uztailaren جويلية يوليوز ก.ค জুলাই \
     јули korrik iyul шілде ліпеня հուլիսի ივლისი ژوئیه جولای جولائی ஜூலை జూలై gorffennaf xullo julie srpanj liepa heinä",
    "august aug août agosto ago augustus sierpnia sie августа авг srpna srp augusta ağustos ağu αυγούστου αυγ elokuuta \
     augusztus أغسطس اغسطس آب серпня kolovoza augusti \
     अगस्त สิงหาคม אוגוסט באוגוסט август rugpjūčio augusts augustā ágúst agost avgusta agustus ogos \
     серпень srpen sierpień avgust αύγουστος αυγουστου αύγ abuztuaren أوت غشت ส.ค আগস্ট \
     gusht avqust тамыз жніўня օգոստոսի აგვისტო اوت آگوست اگست ஆகஸ்ட் ఆగస్టు awst kolovoz rugpjūtis elo agu ags agosti",
    "september sep sept septembre septiembre settembre set setembro września wrz сентября сен сент září septembra eylül eyl \
     σεπτεμβρίου σεπ syyskuuta szeptember septembrie سبتمبر أيلول вересня rujna \
     सितंबर सितम्बर กันยายน ספטמבר בספטמבר септември rugsėjo septembris septembrī setembre \
     сентябрь вересень wrzesień септембар септембра septembar σεπτέμβριος σεπτεμβριου szept irailaren شتنبر ก.ย সেপ্টেম্বর \
     shtator sentyabr қыркүйек верасня սեպտեմբերի სექტემბერი سپتامبر ستمبر செப்டம்பர் సెప్టెంబర్ medi rujan rugsėjis syys septemba",
    "october oct oktober okt octobre octubre ottobre ott outubro out października paź октября окт října říj októbra ekim eki \
     οκτωβρίου οκτ lokakuuta október octombrie أكتوبر تشرين жовтня \
     अक्टूबर अक्तूबर ตุลาคม אוקטובר באוקטובר октомври spalio oktobris oktobrī oktoober oktobra \
     октябрь жовтень říjen październik октобар октобра oktobar οκτώβριος οκτωβριου urriaren ต.ค অক্টোবর \
     tetor oktyabr қазан кастрычніка հոկտեմբերի ოქტომბერი اکتبر اکتوبر அக்டோபர் అక్టోబర్ hydref spalis loka oktoba",
    "november nov novembre noviembre novembro listopada lis ноября ноя listopadu novembra kasım kas νοεμβρίου νοε \
     marraskuuta noiembrie نوفمبر листопада studenoga \
     नवंबर नवम्बर พฤศจิกายน נובמבר בנובמבר ноември lapkričio novembris novembrī nóvember studenog \
     ноябрь листопад listopad новембар новембра novembar νοέμβριος νοεμβριου azaroaren نونبر พ.ย নভেম্বর \
     nëntor noyabr қараша лістапада նոյեմբերի ნოემბერი نوامبر نومبر நவம்பர் నవంబర్ tachwedd studeni lapkritis marras nopember nop novemba",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia gru декабря дек prosince pro decembra \
     aralık ara δεκεμβρίου δεκ joulukuuta decembrie ديسمبر грудня prosinca \
     दिसंबर दिसम्बर ธันวาคม דצמבר בדצמבר декември gruodžio decembris decembrī detsember desember desembre disember \
     декабрь грудень prosinec grudzień децембар децембра decembar δεκέμβριος δεκεμβριου abenduaren دجنبر ธ.ค ডিসেম্বর \
     dhjetor dekabr желтоқсан снежня դեկտեմբերի დეკემბერი دسامبر دسمبر டிசம்பர் డిసెంబర్ rhagfyr prosinac gruodis joulu des desemba",
];
